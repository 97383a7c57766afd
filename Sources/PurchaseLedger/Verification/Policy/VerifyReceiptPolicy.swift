import Foundation
import StoreModel

/// How `verifyReceipt` is asked: where, with what secret, and how patiently.
public struct VerifyReceiptPolicy: Hashable, Sendable {
  /// Apple's own, which is asked first.
  public static let appleProductionURL = URL(string: "https://buy.itunes.apple.com/verifyReceipt")!
  /// Apple's own, for receipts that production sends on (21007).
  public static let appleSandboxURL = URL(string: "https://sandbox.itunes.apple.com/verifyReceipt")!

  public var productionURL: URL
  public var sandboxURL: URL
  /// Sent along if it is there. Receipts with auto-renewable subscriptions are refused (21004) without.
  public var sharedSecret: SharedSecret?
  /// How often a verification asks again after the store failed; 0 to 10. Being sent on to the other environment does
  /// not count.
  public var retries = 3
  /// The pause before the first retry, in milliseconds, which doubles with each; 1 to 60 000. Half of it is by chance, so
  /// that many who failed together do not come back together.
  public var firstPauseMilliseconds: Int64 = 250
  /// What the doubling ends at, in milliseconds; `firstPauseMilliseconds` to 60 000.
  public var longestPauseMilliseconds: Int64 = 4_000
  /// How long one question may take, in seconds; 1 to 60.
  public var answerTimeoutSeconds = 10
  /// How long a verification may take in all, with retries and pauses, in seconds; `answerTimeoutSeconds` to 120.
  public var totalTimeoutSeconds = 25
  /// What an app is told to wait, in seconds, when the store failed to the end; 1 to 3 600.
  public var retryAfterSeconds = 30
  /// How long an answer counts for the same receipt again, in seconds; 0 to 60. An app that restores many purchases sends
  /// one receipt for each of them. A refund is learnt so much later.
  public var reuseSeconds = 0
  /// How far the dates of an answer may lie ahead of this server's clock, in seconds; 0 to ``longestSecondsAhead``. An answer that is
  /// further ahead is the store's failure: believed, it would count as newer than every later one. The default, a day, allows for a
  /// server whose clock is slow. An emulator's clock may be moved ahead by years.
  public var secondsAhead: Int64 = 86_400
  /// The largest ``secondsAhead``: 50 years.
  public static let longestSecondsAhead: Int64 = 50 * 366 * 86_400
  public var breaker: BreakerThresholds

  /// - Parameters:
  ///   - productionURL: asked first.
  ///   - sandboxURL: asked where production sends a receipt on.
  ///   - sharedSecret: the app's, or the developer's.
  ///   - breaker: when an endpoint that fails is left alone.
  public init(
    productionURL: URL = appleProductionURL, sandboxURL: URL = appleSandboxURL, sharedSecret: SharedSecret? = nil,
    breaker: BreakerThresholds = BreakerThresholds()
  ) {
    self.productionURL = productionURL
    self.sandboxURL = sandboxURL
    self.sharedSecret = sharedSecret
    self.breaker = breaker
  }

  func url(of door: StoreEnvironment) -> URL { door == .production ? productionURL : sandboxURL }
}

extension VerifyReceiptPolicy {
  /// What is wrong with it, in a sentence; nil if nothing is.
  ///
  /// - Parameter trustingApple: whether the ledger holds Apple's purchases. It then asks Apple only: the answer of
  ///   anything else would put made-up purchases beside real ones.
  func problem(trustingApple: Bool) -> String? {
    for (name, url, own) in [
      ("production", productionURL, Self.appleProductionURL), ("sandbox", sandboxURL, Self.appleSandboxURL),
    ] {
      guard url.scheme == "https" || url.scheme == "http", url.host()?.isEmpty == false else {
        return "The \(name) URL must begin with https:// or http:// and name a host."
      }
      if trustingApple, url != own {
        return "With Apple's certificates trusted, the \(name) URL is \(own.absoluteString) and no other. To ask an "
          + "emulator, trust the emulator's certificates instead."
      }
    }
    if productionURL == sandboxURL { return "The production and the sandbox URL are the same." }
    let bounds: [(String, Int64, ClosedRange<Int64>)] = [
      ("retries", Int64(retries), 0...10),
      ("firstPauseMilliseconds", firstPauseMilliseconds, 1...60_000),
      ("longestPauseMilliseconds", longestPauseMilliseconds, 1...60_000),
      ("answerTimeoutSeconds", Int64(answerTimeoutSeconds), 1...60),
      ("totalTimeoutSeconds", Int64(totalTimeoutSeconds), 1...120),
      ("retryAfterSeconds", Int64(retryAfterSeconds), 1...3_600),
      ("reuseSeconds", Int64(reuseSeconds), 0...60),
      ("secondsAhead", secondsAhead, 0...Self.longestSecondsAhead),
      ("breaker.failures", Int64(breaker.failures), 1...1_000),
      ("breaker.openSeconds", Int64(breaker.openSeconds), 1...3_600),
    ]
    for (name, value, range) in bounds where !range.contains(value) {
      return "\(name) is a number from \(range.lowerBound) to \(range.upperBound); it is \(value)."
    }
    if longestPauseMilliseconds < firstPauseMilliseconds {
      return "longestPauseMilliseconds is less than firstPauseMilliseconds."
    }
    if totalTimeoutSeconds < answerTimeoutSeconds { return "totalTimeoutSeconds is less than answerTimeoutSeconds." }
    return nil
  }
}
