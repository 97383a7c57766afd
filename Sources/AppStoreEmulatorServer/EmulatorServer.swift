import AppStoreEmulator
import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import SignedData
import StoreModel
import WebSupport

/// The HTTP server of an emulated store: the device API, `verifyReceipt`, the control API and the console.
public struct EmulatorServer: Sendable {
  /// The settings of the server.
  public struct Configuration: Sendable {
    /// The host name or address to listen on. Everything except loopback needs a control token.
    public var host: String
    /// The port to listen on; 0 for any free port.
    public var port: Int
    /// The port to listen on with TLS; 0 for any free port, nil for no TLS.
    ///
    /// This port is for the requests that apps and servers send to Apple's hosts. Other machines may forward them to it.
    /// So, without a control token, it has neither the control API nor the console.
    public var tlsPort: Int?
    /// The address at which verifiers reach the listener without TLS, such as `http://store.test:8080`. The store's certificates
    /// contain the address of the OCSP responder below it. If nil, it is the address that the server listens on.
    public var advertisedURL: URL?
    /// The token that the control API requires as `Authorization: Bearer …`; nil for no token.
    public var controlToken: String?
    /// The origins whose pages may show the console in a frame, such as `http://127.0.0.1:8070`.
    public var pageFramedBy: [String]
    /// The clock for the rate limit of wrong control tokens.
    public var wallClock: any MachineClock = SystemClock()

    public init(
      host: String = "127.0.0.1", port: Int = 8080, tlsPort: Int? = nil, advertisedURL: URL? = nil,
      controlToken: String? = nil, pageFramedBy: [String] = []
    ) {
      self.host = host
      self.port = port
      self.tlsPort = tlsPort
      self.advertisedURL = advertisedURL
      self.controlToken = controlToken
      self.pageFramedBy = pageFramedBy
    }

    var isLoopback: Bool { LoopbackHosts.contains(host) }

    /// The address of the OCSP responder, if the listener without TLS has `port`; nil if neither this port nor another address is
    /// known.
    fileprivate func ocspResponder(port: Int) -> URL? {
      let isEverywhere = ["0.0.0.0", "::", "[::]"].contains(host)
      let name = isEverywhere ? "127.0.0.1" : host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
      let base = advertisedURL ?? (port == 0 ? nil : URL(string: "http://\(name):\(port)"))
      return base?.appending(path: String(CertificateStatusRoutes.path.dropFirst()))
    }
  }

  private let store: EmulatedAppStore
  private let configuration: Configuration
  private let logger: Logger
  // Shared by both listeners.
  private let bodies = BodyBudget(limitBytes: 64 << 20)
  private let sessions: ConsoleSessions?
  private let storeSignal: StoreSignal
  private let proofCache: ProofCache
  private let salesCache: SalesCache

  /// - Throws: ``EmulatorServerError`` if a control token is required and missing.
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
    storeSignal = StoreSignal(store: store)
    proofCache = ProofCache(store: store)
    salesCache = SalesCache(store: store)
  }

  /// The listener without TLS, to be run alone or in a service group. The store's certificates contain its address from now on;
  /// if the system chooses the port, from the moment when connections are accepted. From then on, notifications are sent.
  ///
  /// - Parameter onReady: called with the port once connections are accepted.
  public func application(
    onReady: @escaping @Sendable (Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    store.setOCSPResponder(configuration.ocspResponder(port: configuration.port))
    return Application(
      responder: responder(scheme: "http"),
      server: Self.connections,
      configuration: .init(address: .hostname(configuration.host, port: configuration.port), serverName: nil),
      onServerRunning: { [store, configuration] channel in
        let port = channel.localAddress?.port ?? 0
        store.setOCSPResponder(configuration.ocspResponder(port: port))
        // Not earlier: what is signed must contain the address.
        store.deliverNotifications(over: HTTPNotificationTransport())
        await onReady(port)
      }, logger: logger)
  }

  /// The listener with TLS; nil if none is configured.
  ///
  /// Its certificate contains Apple's host names, so that requests to these hosts can be redirected here. The
  /// certificate is valid at the date of this machine, whatever the date of the store's clock is.
  ///
  /// - Throws: an error if the certificate cannot be made.
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

  /// Accepts at most 500 connections per address. Closes a connection on which nothing arrives for 60 seconds, between
  /// requests or while a request is being received. While a request is being answered, its connection stays open, for
  /// example while a device waits for changes.
  private static var connections: HTTPServerBuilder {
    .http1(
      configuration: .init(
        additionalChannelHandlers: [
          ConnectionLimitHandler(ConnectionLimit(most: 500)), ConnectionWatch(), ExpectContinueHandler(),
          UnreadBodyHandler(),
        ],
        idleTimeout: .seconds(BodyReservation.longestSeconds)))
  }

  /// The routers, grouped by the checks that their requests need.
  struct Routers {
    let storeAPI = Router(context: EmulatorRequestContext.self)
    let control = Router(context: BasicRequestContext.self)
    let console = Router(context: EmulatorRequestContext.self)
  }

  /// All endpoints of the routers. The console's sign-in and sign-out are not among them, because ``SiteResponder``
  /// answers them itself.
  var routes: [ServedRoute] {
    let routers = routers(scheme: "http")
    return routers.storeAPI.servedRoutes + routers.control.servedRoutes + routers.console.servedRoutes
  }

  private func responder(scheme: String) -> EmulatorResponder {
    let (console, routers) = (console(scheme: scheme), routers(scheme: scheme))
    return EmulatorResponder(
      isLoopback: configuration.isLoopback,
      hasControl: scheme == "http" || configuration.controlToken != nil,
      storeAPI: routers.storeAPI.buildResponder(), control: routers.control.buildResponder(),
      console: SiteResponder(
        site: console, access: sessions, text: ConsoleContext.signIn, pages: routers.console.buildResponder()))
  }

  private func console(scheme: String) -> ConsoleContext {
    ConsoleContext(
      store: store, scheme: scheme, needsToken: configuration.controlToken != nil,
      framedBy: configuration.pageFramedBy)
  }

  func routers(scheme: String) -> Routers {
    let routers = Routers()
    routers.storeAPI.add(middleware: BodyBudgetMiddleware(bodies))
    routers.control.add(middleware: BodyBudgetMiddleware(bodies))
    routers.console.add(middleware: BodyBudgetMiddleware(bodies))
    DeviceRoutes(store: store).add(to: routers.storeAPI)
    BackendRoutes(store: store).add(to: routers.storeAPI)
    CertificateStatusRoutes(store: store).add(to: routers.storeAPI)
    ControlRoutes(store: store, scheme: scheme).add(to: routers.control)
    ConsoleRoutes(
      console: console(scheme: scheme), storeSignal: storeSignal, proofCache: proofCache, salesCache: salesCache,
      control: routers.control.buildResponder()
    ).add(to: routers.console)
    return routers
  }
}
