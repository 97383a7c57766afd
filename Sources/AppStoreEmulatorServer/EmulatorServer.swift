import AppStoreEmulator
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import SignedData
import StoreModel
import WebSupport

/// The HTTP doors of an emulated store: devices, `verifyReceipt`, control, and the console's pages.
public struct EmulatorServer: Sendable {
  /// Where and how it listens.
  public struct Configuration: Sendable {
    /// A host name or address. Anything but loopback needs a control token.
    public var host: String
    /// 0 for a free one.
    public var port: Int
    /// Also listen with TLS there; 0 for a free port, nil for none. Without a control token, neither the control API nor the console is
    /// there: the TLS port is made for requests to Apple's hosts, which may come from other machines by way of a forwarded port.
    public var tlsPort: Int?
    /// What the control door asks for as `Authorization: Bearer …`; nil for nothing.
    public var controlToken: String?
    /// The origins whose pages may show the console in a frame, such as `http://127.0.0.1:8070`.
    public var pageFramedBy: [String]
    /// What wrong control tokens are counted by.
    public var wallClock: any MachineClock = SystemClock()

    public init(
      host: String = "127.0.0.1", port: Int = 8080, tlsPort: Int? = nil, controlToken: String? = nil,
      pageFramedBy: [String] = []
    ) {
      self.host = host
      self.port = port
      self.tlsPort = tlsPort
      self.controlToken = controlToken
      self.pageFramedBy = pageFramedBy
    }

    var isLoopback: Bool { LoopbackHosts.contains(host) }
  }

  private let store: EmulatedAppStore
  private let configuration: Configuration
  private let logger: Logger
  // Of both listeners.
  private let bodies = BodyBudget(limitBytes: 64 << 20)
  private let sessions: ConsoleSessions?
  private let news: StoreSignal
  private let shelf: ProofCache

  /// - Throws: ``EmulatorServerError``.
  public init(
    store: EmulatedAppStore, configuration: Configuration, logger: Logger
  ) throws(EmulatorServerError) {
    guard configuration.isLoopback || configuration.controlToken?.isEmpty == false else {
      throw .controlTokenRequired(host: configuration.host)
    }
    self.store = store
    self.configuration = configuration
    self.logger = logger.bounded
    sessions = configuration.controlToken.map { ConsoleSessions(controlToken: $0, clock: configuration.wallClock) }
    news = StoreSignal(store: store)
    shelf = ProofCache(store: store)
  }

  /// The plain listener, to be run as it is or with others in a service group.
  ///
  /// - Parameter onReady: called with the port once connections are accepted.
  public func application(
    onReady: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    Application(
      responder: responder(scheme: "http"),
      server: Self.connections,
      configuration: .init(address: .hostname(configuration.host, port: configuration.port), serverName: nil),
      onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: logger)
  }

  /// The listener with TLS, or nil if none is configured.
  ///
  /// Its certificate names Apple's hosts too, so that a client's own addresses can be sent here; it is made for wall time.
  ///
  /// - Throws: what making the certificate gave.
  public func tlsApplication(
    onReady: @escaping @Sendable (Int) async -> Void = { _ in }
  ) throws -> (some ApplicationProtocol)? {
    guard let port = configuration.tlsPort else { return nil as Application<EmulatorResponder>? }
    let identity = try store.authority.tlsIdentity(
      hosts: Array(Set([configuration.host, "localhost", "127.0.0.1", "::1"] + AppleHosts.names)).sorted(),
      at: SystemClock().now)
    let tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(identity.certificateChainPEM.utf8))
        .map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.utf8), format: .pem)))
    return Application(
      responder: responder(scheme: "https"),
      server: try .tls(Self.connections, tlsConfiguration: tls),
      configuration: .init(address: .hostname(configuration.host, port: port), serverName: nil),
      onServerRunning: { channel in await onReady(channel.localAddress?.port ?? 0) }, logger: logger)
  }

  /// One address has at most 500 connections. A connection that is silent in the middle of a request, or between requests, is closed. One whose request is being
  /// answered may wait, as devices do for changes.
  private static var connections: HTTPServerBuilder {
    .http1(
      configuration: .init(
        additionalChannelHandlers: [
          ConnectionLimitHandler(ConnectionLimit(most: 500)), ConnectionWatch(), UnreadBodyHandler(),
        ],
        idleTimeout: .seconds(BodyReservation.longestSeconds)))
  }

  /// Where requests lead, by what checks them on their way.
  struct Routers {
    let doors = Router(context: EmulatorRequestContext.self)
    let control = Router(context: BasicRequestContext.self)
    let console = Router(context: EmulatorRequestContext.self)
  }

  /// All endpoints but the console's own sign-in.
  var routes: [ServedRoute] {
    let routers = routers(scheme: "http")
    return routers.doors.servedRoutes + routers.control.servedRoutes + routers.console.servedRoutes
  }

  private func responder(scheme: String) -> EmulatorResponder {
    let (desk, routers) = (desk(scheme: scheme), routers(scheme: scheme))
    return EmulatorResponder(
      isLoopback: configuration.isLoopback,
      hasControl: scheme == "http" || configuration.controlToken != nil,
      doors: routers.doors.buildResponder(), control: routers.control.buildResponder(),
      console: ConsoleResponder(desk: desk, sessions: sessions, pages: routers.console.buildResponder()))
  }

  private func desk(scheme: String) -> ConsoleContext {
    ConsoleContext(
      store: store, scheme: scheme, needsToken: configuration.controlToken != nil,
      framedBy: configuration.pageFramedBy)
  }

  func routers(scheme: String) -> Routers {
    let routers = Routers()
    routers.doors.add(middleware: BodyBudgetMiddleware(bodies))
    routers.control.add(middleware: BodyBudgetMiddleware(bodies))
    routers.console.add(middleware: BodyBudgetMiddleware(bodies))
    DeviceRoutes(store: store).add(to: routers.doors)
    VerifyReceiptRoutes(store: store).add(to: routers.doors)
    ControlRoutes(store: store, scheme: scheme).add(to: routers.control)
    ConsoleRoutes(desk: desk(scheme: scheme), news: news, shelf: shelf).add(to: routers.console)
    return routers
  }
}
