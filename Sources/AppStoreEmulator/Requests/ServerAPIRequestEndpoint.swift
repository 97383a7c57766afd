import AppStoreServerAPI
import Foundation
import StoreModel

/// The endpoint of a call of the App Store Server API. The call declares the path, the types, and how a request is read.
///
/// The request is read after the token was checked, so that a client without a valid token learns nothing.
package struct ServerAPIRequestEndpoint<Call: ServerAPICall>: BackendEndpoint {
  package typealias Answer = Call.Answer

  package static var name: String { Call.endpoint.name }
  package static var method: BackendMethod {
    switch Call.endpoint.method {
    case .get: .get
    case .post: .post
    case .put: .put
    }
  }
  package static var path: String { Call.endpoint.path }

  package let request: BackendRequest

  package init(_ request: BackendRequest) { self.request = request }

  /// The request as its call reads it.
  var values: ServerAPIRequest {
    ServerAPIRequest(
      parameters: request.parameters, query: request.query.map { .init($0.name, $0.value) }, body: request.body)
  }

  package var subject: CallSubject {
    let id = ["transactionId", "anyTransactionId", "originalTransactionId"].lazy.compactMap { request.parameters[$0] }
    return CallSubject(
      productIDs: request.parameters["productId"].map { [ProductID($0)] } ?? [],
      transactionID: id.first.flatMap(TransactionID.init(rawValue:)))
  }

  /// The unverified app of the token.
  package var claimedApp: BundleID? {
    ServerAPITokenCheck.unverifiedClaims(authorization: request.authorization)?.bundleID
  }

  package static func response(to answer: Answer) throws -> BackendResponse {
    let status = Call.endpoint.successStatus
    guard Call.hasAnswer else { return BackendResponse([], status: status, contentType: nil) }
    return BackendResponse(
      [UInt8](try ServerAPI.encoder().encode(answer)), status: status, contentType: ServerAPIError.contentType)
  }

  package static var unavailable: any BackendError {
    ServerAPIRefusal(.generalInternalRetryable, "the store is out of order")
  }

  package static func recordedBody(of answer: Answer) -> RecordedBody {
    // Some signed transactions; a page has twenty.
    RecordedBody(answer, heldBytes: Call.hasAnswer ? 64 << 10 : RecordedBody.smallValue)
  }
}

extension ServerAPIError {
  /// Apple's library for Python reads an error only with exactly this content type.
  static let contentType = "application/json"
}

extension ServerAPIRefusal: BackendError {
  package var response: BackendResponse {
    BackendResponse(
      try? [UInt8](ServerAPI.encoder().encode(error)), status: error.httpStatus, contentType: ServerAPIError.contentType
    )
  }
  package var outcome: RequestOutcome { .status(Int(error.errorCode)) }
  package var reasonForDeveloper: String? { reason }
}

/// The answer to a request without a valid token: HTTP status 401, and no error object.
struct UnauthenticatedRequest: BackendError {
  let reasonForDeveloper: String?

  init(_ reason: String) { reasonForDeveloper = reason }

  var response: BackendResponse {
    BackendResponse(Array("Unauthenticated\n".utf8), status: 401, contentType: "text/plain; charset=utf-8")
  }
  var outcome: RequestOutcome { .status(401) }
}

/// The answer to more requests than Apple's limits allow.
struct RateLimitExceeded: BackendError {
  /// The date of this machine at which the next request is allowed.
  let nextDate: StoreDate
  let reasonForDeveloper: String?

  var response: BackendResponse {
    let refusal = ServerAPIRefusal(.rateLimitExceeded, "").response
    // Not seconds to wait, as RFC 9110 has it, but a date in UNIX milliseconds ("Identifying rate limits").
    return BackendResponse(
      refusal.body, status: refusal.status, contentType: refusal.contentType,
      headers: ["Retry-After": "\(nextDate.millisecondsSince1970)"])
  }
  var outcome: RequestOutcome { .status(Int(ServerAPIErrorCode.rateLimitExceeded.rawValue)) }
}
