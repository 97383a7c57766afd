import Foundation
import SignedData
import StoreModel

/// A request to `verifyReceipt`.
struct VerifyReceiptOperation: StoreOperation {
  let body: Data
  /// The environment of the URL that the request was sent to.
  let environment: StoreEnvironment

  func metadata(in store: StoreServices) -> RequestMetadata {
    var metadata = RequestMetadata(.verifyReceipt, environment: environment)
    if store.faults.asksForReceiptsApp { metadata.bundleID = claimedApp }
    return metadata
  }

  func run(in store: StoreServices, _ context: OperationContext) async throws -> VerifyReceiptResponse {
    let answer = try await store.verification.answer(to: body, in: environment)
    if let app = answer.bundleID { context.learnApp(app) }
    return answer
  }

  var unavailable: any Error { VerifyReceiptServerError(httpStatus: 503) }

  var recordedBody: RecordedBody { RecordedBody(json: body) }

  static func outcome(of answer: VerifyReceiptResponse) -> RequestOutcome { .status(answer.status.rawValue) }
  static func recordedBody(of answer: VerifyReceiptResponse) -> RecordedBody { RecordedBody(json: answer.bytes) }
  static func reason(of answer: VerifyReceiptResponse) -> String? { answer.reason }

  /// The unverified bundle id in the receipt, for the request journal and the scopes of faults.
  private var claimedApp: BundleID? {
    switch try? VerifyReceiptRequest(body, ignoresWhiteSpace: true).receipt {
    case .app(let data): (try? UnverifiedAppReceipt(data))?.receipt.bundleID
    case .legacy(let data): (try? UnverifiedLegacyReceipt(data))?.receipt.bundleID
    case nil: nil
    }
  }
}

extension VerifyReceiptServerError: BareHTTPFailure {}
