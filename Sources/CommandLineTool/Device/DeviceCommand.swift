import ArgumentParser
import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging

/// `openstorekit device`: a phone with the sample app on it, in the browser.
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "A phone with the sample app on it, in the browser.",
    discussion: """
      Prints 'ready http://HOST:PORT' when its page can be opened, and ends on SIGTERM, on Ctrl-C, or when its terminal is closed. It listens on \
      loopback only. The app is another process, which the page can force-quit and start again. Without --data the phone is forgotten at the end. \
      It logs to standard error; LOG_LEVEL (debug, info, warning, …) says how much.
      """)

  @Option(help: "What the phone is called.")
  var name = "phone"

  @Option(help: "Where to listen; 0 for a free port.")
  var port = 8100

  @Option(help: ArgumentHelp("The folder of the phone: its app, its keychain, its settings.", valueName: "folder"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "Where backups are, by default in the phone's folder; two phones may share it.", valueName: "folder"))
  var documents: String?

  @Option(help: ArgumentHelp("The App Store: where openstorekit emulator is ready.", valueName: "url"))
  var store: String

  @Option(help: ArgumentHelp("The developer's purchase server: where openstorekit server is ready.", valueName: "url"))
  var server: String?

  @OptionGroup var framing: FramingOptions

  @Flag(help: ArgumentHelp("End when standard input ends: for a program that runs the phone.", visibility: .hidden))
  var endWithInput = false

  func validate() throws {
    guard (0...65535).contains(port) else { throw ValidationError("\(port) is not a port; use 0 to 65535.") }
    guard !name.isEmpty else { throw ValidationError("--name may not be empty.") }
    _ = try address(store, "--store")
    _ = try server.map { try address($0, "--server") }
  }

  private func address(_ text: String, _ option: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ValidationError("\(option) is an address such as http://127.0.0.1:8080; not \(text.debugDescription).")
    }
    return url
  }

  func run() async throws {
    let logger = Logger.standardError(label: "device")
    let temporary = TemporaryFolder("phone")
    if data == nil { try temporary.make() }
    defer { if data == nil { temporary.remove(logger) } }
    let root = data.map { URL(filePath: $0) } ?? temporary.url
    let folder = try PhoneFolder(root, documents: documents.map { URL(filePath: $0) })
    defer { folder.release() }
    let place = PhoneNetwork(
      name: name, store: try address(store, "--store"), server: try server.map { try address($0, "--server") })
    let phone = try Phone(place: place, folder: folder)
    let client = AppConnection.client()
    if endWithInput { Listening.endWithInput() }
    do {
      try await serve(phone, client, logger)
    } catch {
      await phone.shutDown()
      do {
        try await client.shutdown()
      } catch let fault {
        // What the command ends with is why it could not serve.
        logger.warning("The line to the app did not close", metadata: ["error": "\(fault)"])
      }
      throw error
    }
    await phone.shutDown()
    try await client.shutdown()
  }

  private func serve(_ phone: Phone, _ client: HTTPClient, _ logger: Logger) async throws {
    let app = AppConnection(client: client, socket: phone.folder.socket)
    let pages = DevicePages(phone: phone, app: app, framedBy: framing.origins)
    let application = Application(
      responder: pages.router().buildResponder(),
      configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
      onServerRunning: { channel in
        // The phone is there; its app opens as it does when a phone is turned on with it in front.
        await phone.openAtStart()
        Listening.sayReady(host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
      }, logger: logger)
    try await Listening.run([application], graceSeconds: SecondsToEnd.requests, ports: [port], logger: logger)
  }
}
