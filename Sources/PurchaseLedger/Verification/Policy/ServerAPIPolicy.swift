import AppStoreServerAPI
import Foundation
import HTTPTransport
import SignedData
import StoreModel

/// How the App Store Server API is asked: key, URLs, timeouts and retries.
public struct ServerAPIPolicy: Hashable, Sendable {
  /// The key of the app's team.
  public var key: ServerAPIKey
  /// The base URL of production.
  public var productionURL: URL
  /// The base URL of the sandbox.
  public var sandboxURL: URL
  /// The App Store's number of the app. Notifications of production with another number are refused. Nil does not check it.
  public var appAppleID: Int64?
  /// The maximum number of retries of a call after the store failed; 0 to 10.
  public var retries = 3
  /// The pause before the first retry, in milliseconds; 1 to 60 000. It doubles with each retry. Up to half of each pause is
  /// random.
  public var firstPauseMilliseconds: Int64 = 250
  /// The maximum pause, in milliseconds; `firstPauseMilliseconds` to 60 000.
  public var longestPauseMilliseconds: Int64 = 4_000
  /// The timeout of one request, in seconds; 1 to 60.
  public var answerTimeoutSeconds = 10
  /// How long a verification with all its calls, retries and pauses may take, in seconds; `answerTimeoutSeconds` to 120. A
  /// request that was sent before may take ``answerTimeoutSeconds`` more.
  public var totalTimeoutSeconds = 25
  /// The `Retry-After` for the app if the store cannot be asked, in seconds; 1 to 3 600.
  public var retryAfterSeconds = 30
  /// How long the store's answers are cached for further requests about the same proof, in seconds; 0 to 60.
  public var reuseSeconds = 0
  /// How far the dates of an answer may lie ahead of this server's clock, in seconds; 0 to
  /// ``VerifyReceiptPolicy/longestSecondsAhead``. An answer with a later date is treated as a failure of the store, because it
  /// would be newer than all following answers.
  public var secondsAhead: Int64 = 86_400
  public var breaker: BreakerThresholds

  /// - Parameters:
  ///   - productionURL: the base URL of production, without `/inApps`.
  ///   - sandboxURL: the base URL of the sandbox, without `/inApps`.
  ///   - breaker: when requests to a failing endpoint are suspended.
  public init(
    key: ServerAPIKey, productionURL: URL = AppStoreServerAPIConfiguration.appleProductionURL,
    sandboxURL: URL = AppStoreServerAPIConfiguration.appleSandboxURL, appAppleID: Int64? = nil,
    breaker: BreakerThresholds = BreakerThresholds()
  ) {
    self.key = key
    self.productionURL = productionURL
    self.sandboxURL = sandboxURL
    self.appAppleID = appAppleID
    self.breaker = breaker
  }

  /// Makes a client for an app. Make one for each app, because it keeps the token and the state of the endpoints.
  ///
  /// - Parameters:
  ///   - environments: the environments that the app accepts: production, the sandbox, or both.
  ///   - anchors: the certificates that signed answers must come from.
  ///   - transport: sends the requests. It ends a request after ``answerTimeoutSeconds``.
  ///   - clock: the date for tokens, and the time for pauses.
  ///   - chance: returns a random number of the range, for pauses.
  public func client(
    for app: BundleID, accepting environments: Set<StoreEnvironment>, anchors: TrustAnchors,
    transport: (any HTTPSender)? = nil, clock: any MachineClock = SystemClock(),
    chance: @escaping @Sendable (ClosedRange<Int64>) -> Int64 = { Int64.random(in: $0) }
  ) -> AppStoreServerAPIClient {
    let asked: AppStoreServerAPIConfiguration.Environments =
      switch (environments.contains(.production), environments.contains(.sandbox)) {
      case (true, true): .productionThenSandbox
      case (false, true): .sandbox
      default: .production
      }
    var configuration = AppStoreServerAPIConfiguration(bundleID: app, key: key, environments: asked)
    configuration.productionURL = productionURL
    configuration.sandboxURL = sandboxURL
    configuration.anchors = anchors
    configuration.appAppleID = appAppleID
    configuration.retries = retries
    configuration.pauses = RetryPauses(
      from: .milliseconds(firstPauseMilliseconds), upTo: .milliseconds(longestPauseMilliseconds))
    configuration.answerTimeoutSeconds = answerTimeoutSeconds
    configuration.totalTimeoutSeconds = totalTimeoutSeconds
    configuration.breaker = breaker
    return AppStoreServerAPIClient(configuration, transport: transport, clock: clock, chance: chance)
  }

  func url(of environment: StoreEnvironment) -> URL { environment == .production ? productionURL : sandboxURL }
}

extension ServerAPIPolicy: StoreRequestPolicy {
  static var appleURLs: (production: URL, sandbox: URL) {
    (AppStoreServerAPIConfiguration.appleProductionURL, AppStoreServerAPIConfiguration.appleSandboxURL)
  }
}
