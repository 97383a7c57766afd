import Foundation
import HTTPDoors
import HTTPTypes
import Hummingbird
import Logging
import PurchaseLedger
import ServiceLifecycle
import StoreModel

/// The developer's own server over a ledger: apps redeem proofs and fetch what they are owed, operators publish and put
/// right. Documentation/purchase-server.md says what it answers.
///
/// It keeps nothing between requests but caches: any number of them may serve the same ledger.
public struct PurchaseService: Sendable {
  /// Where and how it listens.
  public struct Configuration: Sendable {
    /// A host name or address.
    public var host: String
    /// 0 for a free one.
    public var port: Int
    public var limits: ServiceLimits
    public var downloads: DownloadLimits
    /// The largest file that is put into an answer, in bytes.
    public var inlineLimitBytes: Int64

    public init(
      host: String = "127.0.0.1", port: Int = 8090, limits: ServiceLimits = ServiceLimits(),
      downloads: DownloadLimits = DownloadLimits(), inlineLimitBytes: Int64 = 65_536
    ) {
      self.host = host
      self.port = port
      self.limits = limits
      self.downloads = downloads
      self.inlineLimitBytes = inlineLimitBytes
    }
  }

  private let configuration: Configuration
  private let keeper: ServiceKeeper
  private let standing: ServiceStanding
  private let logger: Logger

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
    self.configuration = configuration
    self.logger = logger
    standing = ServiceStanding(anchors: try await ledger.anchors().split(separator: " ").map(String.init))
    let presenter = ContentPresenter(
      ledger: ledger, content: content, links: links, inlineLimitBytes: configuration.inlineLimitBytes)
    let (customers, operators) = (
      CustomerDoor(ledger: ledger, identity: identity), OperatorDoor(ledger: ledger)
    )
    let router = Router(context: ServiceContext.self)
    WatchRoutes(ledger: ledger, operators: operators, metrics: metrics, standing: standing).add(to: router)
    DownloadRoutes(
      responder: DownloadResponder(
        content: content, links: links, limits: configuration.downloads,
        lookup: { try await presenter.standing(of: $0) })
    ).add(to: router)
    let app = router.group("/v1/apps/{bundleId}")
    CatalogRoutes(ledger: ledger).add(to: app)
    CustomerRoutes(ledger: ledger, door: customers).add(to: app)
    RedemptionRoutes(
      ledger: ledger, verifier: verifier, door: customers, content: presenter, metrics: metrics
    ).add(to: app)
    OwnershipRoutes(ledger: ledger, door: customers, content: presenter).add(to: app)
    let operating = router.group("/v1/operator")
    OperatorCatalogRoutes(
      ledger: ledger, door: operators, content: content, uploadLimitBytes: configuration.limits.uploadLimitBytes
    ).add(to: operating)
    OperatorCustomerRoutes(ledger: ledger, door: operators).add(to: operating)
    OperatorKeyRoutes(ledger: ledger, door: operators, backUp: backUp).add(to: operating)
    let limits = configuration.limits
    let nanoseconds: @Sendable () -> Int64 = { Int64(DispatchTime.now().uptimeNanoseconds) }
    keeper = ServiceKeeper(
      doors: router.buildResponder(), limits: limits,
      rates: RateLimiter(
        .init(perSecond: limits.requestsPerSecond, burst: limits.burst), nanoseconds: nanoseconds),
      presence: RequestPresence(most: limits.requestsAtOnce), metrics: metrics, nanoseconds: nanoseconds,
      makeRequestID: { UUID().uuidString.lowercased() })
  }

  /// The listener, to be run as it is or with others in a service group.
  ///
  /// - Parameter onReady: called with the port once connections are accepted.
  public func application(
    onReady: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    Application(
      responder: keeper,
      server: .http1(
        configuration: .init(idleTimeout: .seconds(Int64(configuration.limits.idleSeconds)))),
      configuration: .init(address: .hostname(configuration.host, port: configuration.port), serverName: nil),
      services: [StandingWatch(standing: standing)],
      onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: logger)
  }
}

/// Has `/ready` say so as soon as the server is told to stop, so that nobody sends it more.
private struct StandingWatch: Service {
  let standing: ServiceStanding

  func run() async throws {
    try await gracefulShutdown()
    standing.isStopping = true
  }
}

/// Downloads: `GET` and `HEAD` of a link.
private struct DownloadRoutes: Sendable {
  let responder: DownloadResponder

  func add(to router: Router<ServiceContext>) {
    let responder = responder
    for method in [HTTPRequest.Method.get, .head] {
      router.on("/v1/downloads/{token}", method: method) { request, context in
        try await responder.respond(
          to: request, token: try context.pathParameter("token"), over: context.channel, logger: context.logger)
      }
    }
  }
}
