import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel
import WebSupport

/// The developer's purchase server: apps redeem proofs and download content, operators publish products and correct errors.
/// Documentation/purchase-server.md describes its API.
///
/// Between requests the server keeps only caches and rate limits, so any number of servers may use the same ledger in
/// PostgreSQL. A ledger in SQLite has one server.
public struct PurchaseService: Sendable {
  public typealias Configuration = PurchaseServiceConfiguration

  /// The clock and the source of request ids, which tests replace.
  struct Dependencies: Sendable {
    var clock: any MachineClock = SystemClock()
    var makeRequestID: @Sendable () -> String = { UUID().uuidString.lowercased() }
  }

  private let configuration: Configuration
  private let responder: ServiceResponder
  private let connections: ConnectionLimit
  /// All endpoints.
  let routes: [ServedRoute]
  /// The operators' pages, and what belongs to them.
  let pageRoutes: [ServedRoute]
  private let status: ServiceStatus
  private let metrics: ServiceMetrics
  private let logger: Logger
  private let dependencies: Dependencies

  /// - Parameters:
  ///   - ledger: the ledger.
  ///   - verifier: verifies proofs. It must have the same apps and trust anchors as the ledger.
  ///   - content: the store of content files.
  ///   - links: signs download links, with the keys that all servers of the ledger share.
  ///   - identity: verifies the tokens of the operator's identity system; nil if all customers are anonymous.
  ///   - metrics: the metrics for `/metrics`.
  ///   - backUp: writes a copy of the ledger and returns its file name; nil if the database is backed up by other means.
  ///   - refreshClock: called before each request to the API (`/v1/`). It updates the clock that decides whether access
  ///     has expired. Nil if that clock needs no update.
  public init(
    ledger: Ledger, verifier: ProofVerifier, content: any ContentStore, links: DownloadLinkSigner,
    identity: CustomerIdentity? = nil, configuration: Configuration = Configuration(),
    metrics: ServiceMetrics = ServiceMetrics(), backUp: (@Sendable () async throws -> String)? = nil,
    refreshClock: (@Sendable () async -> Void)? = nil, logger: Logger
  ) async throws {
    try await self.init(
      ledger: ledger, verifier: verifier, content: content, links: links, identity: identity,
      configuration: configuration, metrics: metrics, backUp: backUp, refreshClock: refreshClock, logger: logger,
      dependencies: Dependencies())
  }

  init(
    ledger: Ledger, verifier: ProofVerifier, content: any ContentStore, links: DownloadLinkSigner,
    identity: CustomerIdentity?, configuration: Configuration, metrics: ServiceMetrics,
    backUp: (@Sendable () async throws -> String)?, refreshClock: (@Sendable () async -> Void)? = nil, logger: Logger,
    dependencies: Dependencies
  ) async throws {
    self.configuration = configuration
    self.logger = logger.bounded
    self.dependencies = dependencies
    self.metrics = metrics
    status = ServiceStatus(anchors: try await ledger.anchors().split(separator: " ").map(String.init))
    let (limits, tokens) = (configuration.limits, RecognisedTokens())
    let presence = RequestPresence(most: limits.requestsAtOnce)
    let callers = RateLimiter(
      .init(perSecond: limits.requestsPerSecond, burst: limits.burst), clock: dependencies.clock)
    let trustedProxies = configuration.trustedProxies
    connections = ConnectionLimit(most: limits.connectionsPerAddress) { address in
      trustedProxies.contains { $0.contains(address) }
    }
    let notificationAllowance = NotificationAllowance(
      .init(perSecond: limits.requestsPerSecond, burst: limits.burst), clock: dependencies.clock)
    for (app, date) in try await ledger.lastNotificationDates() {
      metrics.noteNotification(of: app.rawValue, at: date)
    }
    let serviceRoutes = ServiceRoutes(
      ledger: ledger, verifier: verifier, content: content, links: links, identity: identity,
      configuration: configuration, metrics: metrics, backUp: backUp, status: status, presence: presence,
      tokens: tokens, callers: callers,
      verificationRates: VerificationRates(perMinute: limits.questionsPerMinute, clock: dependencies.clock),
      installations: RateLimiter(
        .init(perSecond: limits.installationsPerHour / 3600, burst: max(1, limits.installationsPerHour)),
        clock: dependencies.clock),
      notificationAllowance: notificationAllowance,
      readiness: Readiness(ledger: ledger, clock: dependencies.clock), clock: dependencies.clock,
      refreshClock: refreshClock)
    let router = serviceRoutes.router()
    routes = router.servedRoutes
    let api = router.buildResponder()
    let (pages, pageRoutes) = OperatorPages.responder(ledger: ledger, api: api, clock: dependencies.clock)
    self.pageRoutes = pageRoutes
    responder = ServiceResponder(
      router: api,
      page: { request, context in
        guard OperatorSite.isPage(request) else { return nil }
        return try await pages.respond(to: request, context: context, from: context.caller.address)
      }, uploadPath: ServiceEndpoints.uploadContent.path, limits: limits,
      trustedProxies: trustedProxies,
      rates: CallerRates(
        callers, tokens: tokens, clock: dependencies.clock, recognise: { await serviceRoutes.recognise($0) }),
      notificationAllowance: notificationAllowance,
      presence: presence, metrics: metrics, clock: dependencies.clock,
      makeRequestID: dependencies.makeRequestID, logger: self.logger)
  }

  /// The number of requests that were answered since the start, health probes included.
  public var answeredRequests: Int64 { metrics.answeredRequests }

  /// The HTTP listener. Run it in a service group, with ``draining`` after it, or on its own.
  ///
  /// - Parameter onReady: called with the port once connections are accepted.
  public func application(
    onReady: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    Application(
      responder: responder, server: server(limit: connections),
      configuration: .init(
        address: .hostname(configuration.host, port: configuration.port), serverName: nil, backlog: 1024,
        availableConnectionsDelegate: .maximum(configuration.limits.connectionsAtOnce, logger: logger)),
      onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: logger)
  }

  /// The HTTP listener for health checks; nil if none is configured.
  ///
  /// It has its own limit of connections, so that it can be reached even if the other listener has too many.
  public func healthApplication(
    onReady: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> (some ApplicationProtocol)? {
    guard let port = configuration.healthPort else { return nil as Application<HealthResponder>? }
    return Application(
      responder: HealthResponder(responder: responder),
      server: server(limit: ConnectionLimit(most: Self.healthConnections / 4)),
      configuration: .init(
        address: .hostname(configuration.host, port: port), serverName: nil,
        availableConnectionsDelegate: .maximum(Self.healthConnections, logger: logger)),
      onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: logger)
  }

  /// The maximum number of connections of the health listener.
  private static let healthConnections = 256

  private func server(limit: ConnectionLimit) -> HTTPServerBuilder {
    .http1(
      configuration: .init(
        additionalChannelHandlers: [
          ConnectionLimitHandler(limit), AbandonedRequestHandler(), UnsentBytesHandler(), ExpectContinueHandler(),
          UnreadBodyHandler(),
        ],
        idleTimeout: .seconds(Int64(configuration.limits.idleSeconds)),
        // Larger than the server's own limit, so that headers slightly above that limit get a response with an explanation.
        httpDecoderConfiguration: .init(maxHeaderListSize: configuration.limits.headerLimitBytes + 48 * 1024)))
  }

  /// Makes `/ready` return 503 when the server is asked to stop. It must be the last service of its group.
  public var draining: DrainService {
    DrainService(
      status: status, seconds: configuration.limits.drainSeconds, clock: dependencies.clock)
  }
}

/// When the server is asked to stop, makes `/ready` return 503 and delays the stop, so that load balancers send no further
/// requests.
///
/// It must be the last service of its group, because services are stopped in reverse order.
public struct DrainService: Service {
  let status: ServiceStatus
  let seconds: Int
  let clock: any MachineClock

  public func run() async throws {
    try await gracefulShutdown()
    status.isStopping = true
    guard seconds > 0 else { return }
    try await clock.sleep(for: .seconds(seconds))
  }
}
