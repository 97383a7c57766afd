import StoreModel

/// What a status of `verifyReceipt` means for whoever asked. Implements Apple's "status"; the table is in
/// Documentation/verification.md.
enum StatusMeaning: Hashable, Sendable {
  /// The receipt is good, and the answer says what is in it.
  case valid
  /// It is to be taken to the other environment's door.
  case belongs(to: StoreEnvironment)
  /// The store failed: it is to be asked again, and if that does not help, the verification ends so.
  ///
  /// - Parameter speaksOfTheStore: whether it says something of the store, and not perhaps of this receipt only. Only then
  ///   does it count for the circuit breaker: nobody shall close the store for others with a receipt of a certain kind.
  case failed(finally: ProofRefusal?, speaksOfTheStore: Bool)
  /// The verification ends so at once.
  case refused(ProofRefusal)

  /// How long an app is told to wait where asking again soon is of no use, in seconds.
  static let longWaitSeconds = 3_600

  /// - Parameters:
  ///   - status: the store's.
  ///   - isRetryable: what came along with 21100 to 21199, if anything.
  ///   - kind: what was sent.
  ///   - isGoodHere: whether its signature was found to be good here. Then it cannot be malformed or forged: whoever says
  ///     so has trouble of their own.
  ///   - otherApp: the app that the receipt names, where that is not the expected one.
  ///   - door: where.
  init(
    _ status: Int, isRetryable: Bool?, on kind: PurchaseProof.Kind, isGoodHere: Bool, otherApp: () -> BundleID?,
    at door: StoreEnvironment
  ) {
    self =
      switch status {
      case 0: .valid
      case 21000:
        .refused(.misconfigured(detail: "it says that it was sent no POST of JSON (21000); is there a proxy between?"))
      case 21002 where isGoodHere, 21003 where isGoodHere: .failed(finally: nil, speaksOfTheStore: false)
      case 21002:
        .failed(
          finally: .unreadable(detail: "the store calls it malformed, each time it was asked (21002)"),
          speaksOfTheStore: false)
      case 21003: .refused(.forged(detail: "the store disowns it (21003)"))
      // The secret of the expected app does not fit another app's receipt, which any customer can send.
      case 21004:
        .refused(
          otherApp().map { .wrongApp(detail: "it names \($0.rawValue.prefix(200))") }
            ?? .misconfigured(detail: "the shared secret is not the one of this app (21004)"))
      case 21005: .failed(finally: nil, speaksOfTheStore: true)
      case 21006 where kind == .legacyReceipt: .valid
      case 21007 where door == .production: .belongs(to: .sandbox)
      case 21008 where door == .sandbox: .belongs(to: .production)
      case 21007, 21008:
        .refused(
          .misconfigured(detail: "the \(door.lowercaseName) URL answers for the other environment (\(status))"))
      case 21009: .failed(finally: nil, speaksOfTheStore: false)
      case 21010: .refused(.accountNotFound)
      case 21100...21199 where isRetryable == true: .failed(finally: nil, speaksOfTheStore: false)
      // Not to be asked again now, or not known here. Neither says that the receipt is bad; a customer who paid is not turned
      // away for good, and nothing is given either.
      default: .refused(.storeUnavailable(retryAfterSeconds: Self.longWaitSeconds))
      }
  }
}
