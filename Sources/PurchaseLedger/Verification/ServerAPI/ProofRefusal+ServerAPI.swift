import AppStoreServerAPI
import SignedData

/// The meaning of a failure of the App Store Server API for a verification. Documentation/verification.md has the table.
extension ProofRefusal {
  /// - Parameter asking: has the shortest wait for the app.
  init(_ error: ServerAPIClientError, _ asking: ServerAPIPolicy) {
    let later = ProofRefusal.storeUnavailable(retryAfterSeconds: asking.retryAfterSeconds)
    let muchLater = ProofRefusal.storeUnavailable(retryAfterSeconds: StatusMeaning.longWaitSeconds)
    self =
      switch error {
      case .refused where error.isAboutUnknownPurchase: .accountNotFound
      case .refused(let error):
        switch error.code {
        case .invalidTransactionId, .invalidOriginalTransactionId, .appTransactionIdNotSupported,
          .transactionIdIsNotOriginalTransactionId:
          .unreadable(detail: "the store takes its id for no transaction id (\(error.errorCode))")
        case .appNotFound, .invalidAppIdentifier:
          .misconfigured(detail: "the App Store Server API does not know the app (\(error.errorCode))")
        default:
          // An unknown error, or a call that the store does not accept: the same call would fail again.
          error.httpStatus == 429 || error.httpStatus >= 500 || error.isRetryable ? later : muchLater
        }
      case .unauthorized:
        .misconfigured(
          detail:
            "the App Store Server API does not accept the token (401): check key, key id, issuer id, bundle id and "
            + "this machine's clock")
      case .unauthorizedInProduction:
        .misconfigured(
          detail: "production of the App Store Server API does not accept the token (401), which the sandbox accepts: "
            + "was the app never released?")
      case .unexpectedStatus(let status, _) where status == 408 || status == 429 || status >= 500: later
      case .unexpectedStatus(let status, _):
        .misconfigured(detail: "the URL of the App Store Server API answers with HTTP \(status)")
      case .unreadableAnswer, .noAnswer: later
      case .paused(let seconds): .storeUnavailable(retryAfterSeconds: max(asking.retryAfterSeconds, seconds))
      case .unverified(let failure):
        switch failure.fault {
        case .environment, .bundle:
          .misconfigured(detail: "the App Store Server API answers for another app or environment (\(failure.detail))")
        default: muchLater
        }
      case .pagesDoNotAdvance: muchLater
      case .unusableCall(let detail): .misconfigured(detail: "the App Store Server API cannot be called: \(detail)")
      }
  }
}

extension ServerAPIClientError {
  /// Whether the store does not know the transaction or its account.
  var isAboutUnknownPurchase: Bool {
    switch code {
    case .transactionIdNotFound, .originalTransactionIdNotFound, .accountNotFound: true
    default: false
    }
  }
}

/// Thrown if the store does not know a purchase that a genuine proof shows to be new. The App Store Server API learns of a purchase
/// seconds to minutes after the device.
struct PurchaseNotKnownYet: Error {}
