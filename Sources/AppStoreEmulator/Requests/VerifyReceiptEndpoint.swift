import Foundation
import SignedData
import StoreModel

/// Apple's endpoint `verifyReceipt`, with receipts of this store.
struct VerifyReceiptEndpoint: BackendEndpoint {
  typealias Answer = VerifyReceiptResponse

  static let name = "verifyReceipt"
  static let method = BackendMethod.post
  static let path = "verifyReceipt"
  /// Apple's endpoint answers larger ones with HTTP 413.
  static let longestBody = 3 << 20

  let request: BackendRequest

  init(_ request: BackendRequest) { self.request = request }

  /// The unverified bundle id in the receipt.
  var claimedApp: BundleID? {
    switch try? VerifyReceiptRequest(request.body, ignoresWhiteSpace: true).receipt {
    case .app(let data): (try? UnverifiedAppReceipt(data))?.receipt.bundleID
    case .legacy(let data): (try? UnverifiedLegacyReceipt(data))?.receipt.bundleID
    case nil: nil
    }
  }

  static func response(to answer: VerifyReceiptResponse) -> BackendResponse {
    // Apple's answers have a deprecation header with an unpublished value. This value is the day of the announcement,
    // 2023-06-05, in the format of RFC 9745.
    BackendResponse(answer.bytes, headers: ["Deprecation": "@1685923200"])
  }

  /// Other methods get the HTTP status 200, too, as from Apple's endpoint. The status in the body is an error.
  static var responseToOtherMethods: BackendResponse? {
    response(to: VerifyReceiptResponse(status: .unreadableRequest))
  }
  static var unavailable: any BackendError { VerifyReceiptServerError(httpStatus: 503) }

  static func outcome(of answer: VerifyReceiptResponse) -> RequestOutcome { .status(answer.status.rawValue) }
  static func reason(of answer: VerifyReceiptResponse) -> String? { answer.reason }
  static func recordedBody(of answer: VerifyReceiptResponse) -> RecordedBody { RecordedBody(json: answer.bytes) }
}

extension VerifyReceiptServerError: BackendError {
  package var response: BackendResponse {
    BackendResponse(nil, status: httpStatus, contentType: "text/plain; charset=utf-8")
  }
  package var outcome: RequestOutcome { .serverError(httpStatus) }
}
