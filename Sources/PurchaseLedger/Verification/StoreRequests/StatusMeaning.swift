import StoreModel

/// The meaning of a `verifyReceipt` status for the verification. Implements Apple's "status"; Documentation/verification.md has
/// the table.
enum StatusMeaning: Hashable, Sendable {
  /// The receipt is valid, and the answer has its content.
  case valid
  /// The receipt is from the other environment, and must be sent there.
  case belongs(to: StoreEnvironment)
  /// The store failed. The request is retried; if that does not help, the verification ends with `finally`.
  ///
  /// - Parameter concernsStore: true if the store itself fails, false if perhaps only this receipt causes the failure.
  ///   Only failures of the store itself open the circuit breaker. Otherwise a customer could block verification for
  ///   all others with a special receipt.
  case failed(finally: ProofRefusal?, concernsStore: Bool)
  /// The verification ends with this refusal, without a retry.
  case refused(ProofRefusal)

  /// The `Retry-After` for the app if an early retry is useless, in seconds.
  static let longWaitSeconds = 3_600

  /// - Parameters:
  ///   - status: the status in the store's answer.
  ///   - isRetryable: `is_retryable` in the answer, which the store sends only with the statuses 21100 to 21199.
  ///   - kind: the kind of proof that was sent.
  ///   - isSignatureVerified: whether this server has verified the signature. If so, a status for malformed or forged
  ///     receipts is an error of the store.
  ///   - otherApp: returns the app that the receipt names, if it is not the expected one.
  ///   - endpoint: the environment that was asked.
  init(
    _ status: Int, isRetryable: Bool?, on kind: PurchaseProof.Kind, isSignatureVerified: Bool,
    otherApp: () -> BundleID?,
    at endpoint: StoreEnvironment
  ) {
    self =
      switch status {
      case 0: .valid
      case 21000:
        .refused(.misconfigured(detail: "it received no POST request with JSON (21000); is there a proxy between?"))
      case 21002 where isSignatureVerified, 21003 where isSignatureVerified: .failed(finally: nil, concernsStore: false)
      // Apple's endpoint answers every receipt that it does not accept with 21002, also forged ones, and uses the status
      // for its own temporary problems, too.
      case 21002:
        .failed(
          finally: .unreadable(
            detail: "the store calls it malformed or not genuine, each time it was asked (21002)"),
          concernsStore: false)
      case 21003: .refused(.forged(detail: "the store did not issue it (21003)"))
      // The store also returns this status for a receipt of another app, because the secret does not match that app.
      // Any customer can send such a receipt.
      case 21004:
        .refused(
          otherApp().map { .wrongApp(detail: "it names \($0.rawValue.prefix(200))") }
            ?? .misconfigured(detail: "the shared secret is not the one of this app (21004)"))
      case 21005: .failed(finally: nil, concernsStore: true)
      case 21006 where kind == .legacyReceipt: .valid
      case 21007 where endpoint == .production: .belongs(to: .sandbox)
      case 21008 where endpoint == .sandbox: .belongs(to: .production)
      case 21007, 21008:
        .refused(
          .misconfigured(detail: "the \(endpoint.lowercaseName) URL answers for the other environment (\(status))"))
      case 21009: .failed(finally: nil, concernsStore: false)
      case 21010: .refused(.accountNotFound)
      case 21100...21199 where isRetryable == true: .failed(finally: nil, concernsStore: false)
      // The status forbids retries, or is unknown. The receipt may still be valid, and the customer may have paid. So
      // the refusal is temporary.
      default: .refused(.storeUnavailable(retryAfterSeconds: Self.longWaitSeconds))
      }
  }
}
