import AppStoreServerAPI
import Foundation
import StoreModel

/// The APIs that backends call: `POST /ENV/verifyReceipt`, and the App Store Server API below `/ENV/inApps`. `ENV` is
/// `production` or `sandbox`.
package enum BackendAPI {
  /// All endpoints. ``BackendEndpoint`` describes how to add one. Those of the Server API are in `ServerAPI.calls`.
  package static let endpoints: [any BackendEndpoint.Type] =
    [VerifyReceiptEndpoint.self] + ServerAPI.calls.map { serverAPIEndpoint($0) } + NotEmulatedEndpoints.all

  private static func serverAPIEndpoint<Call: ServerAPICall>(_ call: Call.Type) -> any BackendEndpoint.Type {
    ServerAPIRequestEndpoint<Call>.self
  }
}

/// An endpoint for backends, declared once: its method and path, its request, answer and errors, and how the request
/// journal treats it. A value is one request to it.
///
/// To add an endpoint, declare its type, add the type to ``BackendAPI/endpoints``, and write its rule in `Operations`. The
/// route, the journal and the names for faults follow. Errors that conform to ``BackendError`` are its own responses.
package protocol BackendEndpoint: Sendable {
  associatedtype Answer: Sendable

  /// The name in the request journal and in the scopes of faults.
  static var name: String { get }
  static var method: BackendMethod { get }
  /// Whether requests with every method are requests to this endpoint. False by default.
  static var hasAllMethods: Bool { get }
  /// The path below the environment, with parameters in braces, such as `inApps/v1/transactions/{transactionId}`.
  static var path: String { get }
  /// The maximum size of a request's body, in bytes.
  static var longestBody: Int { get }

  var request: BackendRequest { get }
  /// - Throws: a ``BackendError`` if the request has no valid values for this endpoint.
  init(_ request: BackendRequest) throws

  /// The identifiers in the request. Empty by default.
  var subject: CallSubject { get }
  /// The app that the request claims to be about, if finding that out takes time. It is requested only if a fault's scope
  /// needs it. Nil by default.
  var claimedApp: BundleID? { get }

  /// By default, the answer in JSON.
  static func response(to answer: Answer) throws -> BackendResponse
  /// The response to requests with another HTTP method; nil, the default, for HTTP status 404.
  static var responseToOtherMethods: BackendResponse? { get }
  /// The error while the store is unavailable.
  static var unavailable: any BackendError { get }

  static func outcome(of answer: Answer) -> RequestOutcome
  /// The reason why the answer is a refusal, for the journal; nil if the journal needs none.
  static func reason(of answer: Answer) -> String?
  /// The answer's body, for the journal.
  static func recordedBody(of answer: Answer) -> RecordedBody
}

extension BackendEndpoint {
  package static var hasAllMethods: Bool { false }
  package static var longestBody: Int { 64 << 10 }
  package var subject: CallSubject { CallSubject() }
  package var claimedApp: BundleID? { nil }
  package static var responseToOtherMethods: BackendResponse? { nil }
  package static func outcome(of answer: Answer) -> RequestOutcome { .answered }
  package static func reason(of answer: Answer) -> String? { nil }

  static var kind: RequestKind { RequestKind(known: name) }
}

extension BackendEndpoint where Answer: Encodable {
  package static func response(to answer: Answer) throws -> BackendResponse { try BackendResponse(json: answer) }

  package static func recordedBody(of answer: Answer) -> RecordedBody {
    RecordedBody(answer, heldBytes: RecordedBody.smallValue)
  }
}

package enum BackendMethod: String, Sendable, CaseIterable {
  case get = "GET"
  case post = "POST"
  case put = "PUT"
  case delete = "DELETE"
}

/// A request of a backend, as it arrived over HTTP.
package struct BackendRequest: Sendable {
  /// The environment of the URL that the request was sent to.
  package let environment: StoreEnvironment
  /// The values in the path, decoded.
  package let parameters: [String: String]
  /// The values of the query, decoded, in order. A name can occur several times.
  package let query: [(name: String, value: String)]
  /// The value of the header `Authorization`.
  package let authorization: String?
  package let body: Data

  package init(
    environment: StoreEnvironment, parameters: [String: String] = [:], query: [(name: String, value: String)] = [],
    authorization: String? = nil, body: Data = Data()
  ) {
    self.environment = environment
    self.parameters = parameters
    self.query = query
    self.authorization = authorization
    self.body = body
  }

  /// The body for the journal; for a request without a body, the values of its path and query.
  var recordedBody: RecordedBody {
    if !body.isEmpty || parameters.isEmpty && query.isEmpty { return RecordedBody(json: body) }
    var values = parameters.mapValues { [$0] }
    // In place: joining arrays would take quadratic time for a name that occurs often.
    for (name, value) in query { values[name, default: []].append(value) }
    return RecordedBody(values, heldBytes: RecordedBody.smallValue)
  }
}

/// The HTTP response to a backend.
package struct BackendResponse: Hashable, Sendable {
  package let status: Int
  /// Nil for a response without a body.
  package let contentType: String?
  /// Further headers, by name.
  package let headers: [String: String]
  /// Nil if the body only repeats the status, as text.
  package let body: [UInt8]?

  package init(
    _ body: [UInt8]?, status: Int = 200, contentType: String? = Self.json, headers: [String: String] = [:]
  ) {
    self.status = status
    self.contentType = contentType
    self.headers = headers
    self.body = body
  }

  package init(json value: some Encodable, status: Int = 200) throws {
    self.init([UInt8](try DeviceAPI.encoder().encode(value)), status: status)
  }

  package static let json = "application/json; charset=utf-8"
}

/// An error that a backend receives as an HTTP response of its endpoint.
package protocol BackendError: Error {
  var response: BackendResponse { get }
  var outcome: RequestOutcome { get }
  /// The reason for the developer of the backend, which the response does not contain; nil if there is none.
  var reasonForDeveloper: String? { get }
}

extension BackendError {
  package var reasonForDeveloper: String? { nil }
}
