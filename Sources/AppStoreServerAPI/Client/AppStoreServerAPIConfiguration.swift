import Foundation
import HTTPTransport
import SignedData
import StoreModel

/// The settings of an ``AppStoreServerAPIClient``. The defaults are those for Apple's App Store.
public struct AppStoreServerAPIConfiguration: Sendable {
  /// Which environment answers a call.
  public enum Environments: Hashable, Sendable {
    case production
    case sandbox
    /// Production first. If it does not know the transaction id (4040010), the sandbox. So the caller does not need to know
    /// the environment of a transaction.
    case productionThenSandbox
  }

  /// Apple's production.
  public static let appleProductionURL = URL(string: "https://api.storekit.apple.com")!
  /// Apple's sandbox.
  public static let appleSandboxURL = URL(string: "https://api.storekit-sandbox.apple.com")!

  public var bundleID: BundleID
  public var key: ServerAPIKey
  public var environments: Environments
  /// The base URL of production, without `/inApps`.
  public var productionURL = appleProductionURL
  /// The base URL of the sandbox, without `/inApps`.
  public var sandboxURL = appleSandboxURL
  /// The certificates that signed data in answers must come from.
  public var anchors = TrustAnchors.apple
  /// The App Store's number of the app. Notifications of production with another number are refused. Nil does not check it.
  public var appAppleID: Int64?

  /// The maximum number of retries of a call; 0 for none. Asking the other environment is not a retry.
  public var retries = 3
  /// The pauses before the retries. Up to half of each pause is random.
  public var pauses = RetryPauses(from: .milliseconds(250), upTo: .seconds(4))
  /// The timeout for the connection, and for each pause in an answer, in seconds.
  public var answerTimeoutSeconds = 30
  /// How long a call may take with its retries and pauses, in seconds. A retry whose pause ends later is not made. In
  /// particular, a `Retry-After` that is later ends the call.
  public var totalTimeoutSeconds = 60
  /// The maximum size of an answer, in bytes.
  public var longestAnswerBytes = 8 << 20
  /// How long a token is used, in seconds; at most ``ServerAPIKey/longestLifetimeSeconds``.
  public var tokenLifetimeSeconds: Int64 = 1_200
  /// When calls to a failing endpoint are suspended.
  public var breaker = BreakerThresholds()

  public init(bundleID: BundleID, key: ServerAPIKey, environments: Environments = .production) {
    self.bundleID = bundleID
    self.key = key
    self.environments = environments
  }

  func baseURL(of environment: StoreEnvironment) -> URL {
    environment == .production ? productionURL : sandboxURL
  }
}
