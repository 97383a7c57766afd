import AppStoreEmulator
import AppStoreEmulatorServer
import ArgumentParser
import Foundation
import Logging
import ProgramSupport
import ServiceLifecycle
import StoreModel

/// `openstorekit emulator`: runs an App Store on this machine.
struct EmulatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "emulator",
    abstract: "Runs an App Store on this machine, from .storekit files.",
    discussion: """
      Its page in a browser, at the printed address, is the store's console: transactions as they happen, customers, the \
      catalog, the clock, faults and requests. For each action, the console shows the curl command. With \
      --control-token it asks for the token once.

      Prints 'ready http://HOST:PORT' when it accepts connections, and ends on SIGTERM, on Ctrl-C, or when its terminal is closed. \
      GET /control/v1/connection gives certificates, keys and addresses; /control/openapi.json describes the control API. \
      It logs to standard error; LOG_LEVEL (debug, info, warning, …) sets the level.
      """)

  @OptionGroup var options: StoreOptions

  @Option(help: "The port to listen on; 0 for a free port.")
  var port = 8080

  @Option(help: ArgumentHelp("Also listen with TLS; 0 for a free port.", valueName: "port"))
  var tlsPort: Int?

  @Option(
    help: "The address to bind to. Anything but loopback needs --control-token.",
    completion: .list(["127.0.0.1", "::1", "0.0.0.0"]))
  var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "Where verifiers reach this store, if not at --host and --port. The store's certificates contain it.",
      valueName: "url"))
  var advertise: String?

  @Option(
    help: ArgumentHelp("The folder of the store's database and keys.", valueName: "folder"), completion: .directory)
  var data: String?

  @Flag(help: "Keep the store in memory only. This is the default without --data.")
  var inMemory = false

  @Option(help: ArgumentHelp("Store seconds in one second.", valueName: "rate"))
  var timeRate = 1.0

  @OptionGroup var framing: FramingOptions

  @Flag(
    help: """
      End when standard input is closed: for a program that runs the emulator, and may be killed. The system then closes \
      its end of the pipe.
      """)
  var endWithInput = false

  func validate() throws {
    if inMemory && data != nil { throw ValidationError("Give --data or --in-memory, not both.") }
    for port in [port, tlsPort ?? 0] where !(0...65535).contains(port) {
      throw ValidationError("\(port) is not a port; use 0 to 65535.")
    }
    if let advertise, AdvertisedURL(advertise) == nil {
      throw ValidationError(
        "--advertise is an address such as http://store.test:8080, without a query; it is \(advertise.prefix(200).debugDescription)."
      )
    }
    if !(timeRate >= 0 && timeRate <= 1_000_000) { throw ValidationError("--time-rate is from 0 to 1000000.") }
  }

  func run() async throws {
    let logger = Logger.standardError(label: "emulator", level: .info)
    let store = try await options.open(in: data.map { URL(filePath: $0) }, timeRate: timeRate, logger: logger)
    let server: EmulatorServer
    do {
      server = try EmulatorServer(
        store: store,
        configuration: .init(
          host: host, port: port, tlsPort: tlsPort, advertisedURL: advertise.flatMap(AdvertisedURL.init)?.url,
          controlToken: options.controlToken, pageFramedBy: framing.origins),
        logger: logger)
    } catch {
      throw CommandFailure.unusable(error.description)
    }
    if endWithInput { Listening.endWithInput() }
    try await serve(server, logger: logger)
    try store.close()
  }

  private func serve(_ server: EmulatorServer, logger: Logger) async throws {
    let host = host
    // The address without TLS is printed last. When a program reads this address, both ports accept connections.
    let (secure, secured) = AsyncStream.makeStream(of: Int.self)
    let hasTLS = tlsPort != nil
    var services: [any Service] = []
    if let application = try server.tlsApplication(onReady: { secured.yield($0) }) { services.append(application) }
    services.append(
      server.application { port in
        if hasTLS, let securePort = await secure.first(where: { _ in true }) {
          logger.notice("TLS on https://\(host):\(securePort)")
        }
        Listening.printReady(host: host, port: port)
      })
    // A client that never sends the rest of its request must not keep the emulator alive.
    try await Listening.run(
      services, graceSeconds: ShutdownSeconds.requests, ports: [port] + (tlsPort.map { [$0] } ?? []), logger: logger)
  }
}

/// An address for `--advertise`: a host, a port and a path. Its scheme is `http`, because verifiers ask for the status of
/// certificates without TLS. Otherwise it follows the rules of addresses for notifications, and has no query.
struct AdvertisedURL {
  let url: URL

  init?(_ text: String) {
    guard let url = try? NotificationURLs.url(text), url.scheme?.lowercased() == "http", url.query() == nil,
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    self.url = url
  }
}
