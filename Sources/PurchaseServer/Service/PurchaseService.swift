import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import PurchaseLedger
import StoreModel
import WebSupport

/// The developer's own server over a ledger: apps redeem proofs and fetch what they are owed, operators publish and put
/// right. Documentation/purchase-server.md says what it answers.
///
/// It keeps nothing between requests but caches: any number of them may serve the same ledger.
public struct PurchaseService: Sendable {
  public typealias Configuration = PurchaseServiceConfiguration

  /// The time and the chance of a running server.
  struct Dependencies: Sendable {
    var clock: any MachineClock = SystemClock()
    var makeRequestID: @Sendable () -> String = { UUID().uuidString.lowercased() }
  }

  private let configuration: Configuration
  private let keeper: ServiceResponder
  private let connections: ConnectionLimit
  /// All endpoints.
  let routes: [ServedRoute]
  private let standing: ServiceStatus
  private let logger: Logger
  private let surroundings: Dependencies

  /// - Parameters:
  ///   - ledger: what is known.
  ///   - verifier: verifies proofs; of the same apps and anchors as the ledger.
  ///   - content: where files are.
  ///   - links: signs download links, with the keys of all servers of the ledger.
  ///   - identity: believes the operator's own tokens; nil where there are anonymous customers only.
  ///   - metrics: what is counted.
  ///   - backUp: writes a copy of the ledger and says where; nil where the database is backed up by other means.
  public init(
    ledger: Ledger, verifier: ProofVerifier, content: any ContentStore, links: DownloadLinkSigner,
    identity: CustomerIdentity? = nil, configuration: Configuration = Configuration(),
    metrics: ServiceMetrics = ServiceMetrics(), backUp: (@Sendable () async throws -> String)? = nil, logger: Logger
  ) async throws {
    try await self.init(
      ledger: ledger, verifier: verifier, content: content, links: links, identity: identity,
      configuration: configuration, metrics: metrics, backUp: backUp, logger: logger, surroundings: Dependencies())
  }

  init(
    ledger: Ledger, verifier: ProofVerifier, content: any ContentStore, links: DownloadLinkSigner,
    identity: CustomerIdentity?, configuration: Configuration, metrics: ServiceMetrics,
    backUp: (@Sendable () async throws -> String)?, logger: Logger, surroundings: Dependencies
  ) async throws {
    self.configuration = configuration
    self.logger = logger.bounded
    self.surroundings = surroundings
    standing = ServiceStatus(anchors: try await ledger.anchors().split(separator: " ").map(String.init))
    let (limits, tokens) = (configuration.limits, RecognisedTokens())
    let presence = RequestPresence(most: limits.requestsAtOnce)
    let trustedProxies = configuration.trustedProxies
    connections = ConnectionLimit(most: limits.connectionsPerAddress) { address in
      trustedProxies.contains { $0.contains(address) }
    }
    let doors = ServiceRoutes(
      ledger: ledger, verifier: verifier, content: content, links: links, identity: identity,
      configuration: configuration, metrics: metrics, backUp: backUp, standing: standing, presence: presence,
      tokens: tokens,
      questions: VerificationRates(perMinute: limits.questionsPerMinute, clock: surroundings.clock),
      installations: RateLimiter(
        .init(perSecond: limits.installationsPerHour / 3600, burst: max(1, limits.installationsPerHour)),
        clock: surroundings.clock),
      readiness: Readiness(ledger: ledger, clock: surroundings.clock))
    let router = doors.router()
    routes = router.servedRoutes
    keeper = ServiceResponder(
      doors: router.buildResponder(), uploadPath: ServiceEndpoints.bringContent.path, limits: limits,
      trustedProxies: trustedProxies,
      rates: CallerRates(
        .init(perSecond: limits.requestsPerSecond, burst: limits.burst), tokens: tokens,
        clock: surroundings.clock, recognise: { await doors.recognise($0) }),
      presence: presence, metrics: metrics, clock: surroundings.clock,
      makeRequestID: surroundings.makeRequestID)
  }

  /// The listener, to be run with ``draining`` after it in a service group, or as it is.
  ///
  /// - Parameter onReady: called with the port once connections are accepted.
  public func application(
    onReady: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    Application(
      responder: keeper, server: server(limit: connections),
      configuration: .init(
        address: .hostname(configuration.host, port: configuration.port), serverName: nil, backlog: 1024,
        availableConnectionsDelegate: .maximum(configuration.limits.connectionsAtOnce, logger: logger)),
      onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: logger)
  }

  /// The listener for health checks, or nil if none is configured.
  ///
  /// Connections to the other listener cannot keep it from being reached.
  public func healthApplication(
    onReady: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> (some ApplicationProtocol)? {
    guard let port = configuration.healthPort else { return nil as Application<HealthResponder>? }
    return Application(
      responder: HealthResponder(keeper: keeper),
      server: server(limit: ConnectionLimit(most: Self.healthConnections / 4)),
      configuration: .init(
        address: .hostname(configuration.host, port: port), serverName: nil,
        availableConnectionsDelegate: .maximum(Self.healthConnections, logger: logger)),
      onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: logger)
  }

  /// Connections of the health listener at once.
  private static let healthConnections = 256

  private func server(limit: ConnectionLimit) -> HTTPServerBuilder {
    .http1(
      configuration: .init(
        additionalChannelHandlers: [ConnectionLimitHandler(limit), UnsentBytesHandler(), UnreadBodyHandler()],
        idleTimeout: .seconds(Int64(configuration.limits.idleSeconds)),
        // More than what is let in, so that what is a little too much is refused with words.
        httpDecoderConfiguration: .init(maxHeaderListSize: configuration.limits.headerLimitBytes + 48 * 1024)))
  }

  /// Has `/ready` answer 503 once the server is told to stop. To be the last of its service group.
  public var draining: DrainService {
    DrainService(
      standing: standing, seconds: configuration.limits.drainSeconds, clock: surroundings.clock)
  }
}
