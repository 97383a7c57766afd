import Foundation
import HTTPTransport
import StoreModel

/// How `verifyReceipt` requests are sent: URLs, shared secret, timeouts and retries.
public struct VerifyReceiptPolicy: Hashable, Sendable {
  /// Apple's production endpoint.
  public static let appleProductionURL = URL(string: "https://buy.itunes.apple.com/verifyReceipt")!
  /// Apple's sandbox endpoint.
  public static let appleSandboxURL = URL(string: "https://sandbox.itunes.apple.com/verifyReceipt")!

  public var productionURL: URL
  public var sandboxURL: URL
  /// The shared secret, which is sent with each request; nil to send none. Without it, the store refuses receipts with
  /// auto-renewable subscriptions (status 21004).
  public var sharedSecret: SharedSecret?
  /// The maximum number of retries after the store failed; 0 to 10. A redirection to the other environment (21007,
  /// 21008) is not a retry.
  public var retries = 3
  /// The pause before the first retry, in milliseconds; 1 to 60 000. It doubles with each retry. Up to half of each pause is
  /// random, so that requests that failed together are not retried together.
  public var firstPauseMilliseconds: Int64 = 250
  /// The maximum pause, in milliseconds; `firstPauseMilliseconds` to 60 000.
  public var longestPauseMilliseconds: Int64 = 4_000
  /// The timeout of one request, in seconds; 1 to 60.
  public var answerTimeoutSeconds = 10
  /// The timeout of a verification with all retries and pauses, in seconds; `answerTimeoutSeconds` to 120.
  public var totalTimeoutSeconds = 25
  /// The `Retry-After` for the app if the last retry failed too, in seconds; 1 to 3 600.
  public var retryAfterSeconds = 30
  /// How long an answer is cached for further requests about the same receipt, in seconds; 0 to 60.
  ///
  /// An app that restores many purchases sends the same receipt for each of them. Caching delays the detection of
  /// refunds by the same time.
  public var reuseSeconds = 0
  /// How far the dates of an answer may lie ahead of this server's clock, in seconds; 0 to ``longestSecondsAhead``.
  ///
  /// An answer with a later date is treated as a failure of the store. Otherwise it would be newer than all following
  /// answers. The default, a day, allows for a server whose clock is slow. An emulator's clock may be years ahead.
  public var secondsAhead: Int64 = 86_400
  /// The maximum of ``secondsAhead``: 50 years.
  public static let longestSecondsAhead: Int64 = 50 * 366 * 86_400
  public var breaker: BreakerThresholds

  /// - Parameters:
  ///   - productionURL: the production endpoint. It gets the first request, if the app accepts production.
  ///   - sandboxURL: the sandbox endpoint. It gets the receipts that production redirects to it (status 21007). If the app
  ///     accepts only the sandbox, it gets the first request.
  ///   - sharedSecret: the secret of the app or of the developer account.
  ///   - breaker: when requests to a failing endpoint are suspended.
  public init(
    productionURL: URL = appleProductionURL, sandboxURL: URL = appleSandboxURL, sharedSecret: SharedSecret? = nil,
    breaker: BreakerThresholds = BreakerThresholds()
  ) {
    self.productionURL = productionURL
    self.sandboxURL = sandboxURL
    self.sharedSecret = sharedSecret
    self.breaker = breaker
  }

  func url(of endpoint: StoreEnvironment) -> URL { endpoint == .production ? productionURL : sandboxURL }
}

extension VerifyReceiptPolicy: StoreRequestPolicy {
  static var appleURLs: (production: URL, sandbox: URL) { (appleProductionURL, appleSandboxURL) }
}
