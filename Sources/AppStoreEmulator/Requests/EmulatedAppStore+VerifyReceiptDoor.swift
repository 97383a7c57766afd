import Foundation
import SignedData
import StoreModel

extension EmulatedAppStore {
  /// Answers `verifyReceipt` at the door of `environment`. Every such request comes through here.
  ///
  /// - Parameters:
  ///   - body: the request's body, a JSON object with `receipt-data`, and perhaps `password` and
  ///     `exclude-old-transactions`.
  ///   - caller: who waits for the answer; nil for a task that is cancelled when it does not wait any more.
  /// - Throws: where a fault is set, ``VerifyReceiptServerError``, or `StoreConnectionFailure` if no answer is to come;
  ///   otherwise what the books gave.
  public func verifyReceipt(
    _ body: Data, at environment: StoreEnvironment, caller: (any StoreCaller)? = nil
  ) async throws -> VerifyReceiptResponse {
    var facts = RequestFacts(.verifyReceipt, environment: environment)
    if faultDesk.asksForReceiptsApp { facts.bundleID = Self.claimedApp(in: body) }
    return try await pass(facts, from: caller, outcome: { .status($0.status) }) { passage in
      switch passage.conduct {
      case .status(let status, let isRetryable):
        return VerifyReceiptResponse(status: status, isRetryable: isRetryable)
      case .serverError(let httpStatus): throw VerifyReceiptServerError(httpStatus: httpStatus)
      case .unavailable: throw VerifyReceiptServerError(httpStatus: 503)
      case .asUsual, .nothing, .refuse: break
      }
      let answer = try await verifyReceiptAnswer(to: body, at: environment)
      if let app = answer.bundleID { passage.learnApp(app) }
      return answer
    }
  }

  /// The app that a receipt says it is for. Only a fault's scope looks at it; nothing is believed.
  private static func claimedApp(in body: Data) -> BundleID? {
    switch try? VerifyReceiptRequest(body).receipt {
    case .app(let data): (try? UnverifiedAppReceipt(data))?.receipt.bundleID
    case .legacy(let data): (try? UnverifiedLegacyReceipt(data))?.receipt.bundleID
    case nil: nil
    }
  }
}

extension VerifyReceiptResponse {
  /// The app of the receipt that was read, if one was.
  fileprivate var bundleID: BundleID? {
    switch receipt {
    case .app(let fields): fields.strings["bundle_id"].map(BundleID.init)
    case .transaction(let fields): fields["bid"].map(BundleID.init)
    case nil: nil
    }
  }
}
