import ArgumentParser
import Demo
import Foundation
import ProgramSupport
import PurchaseKit
import SampleApp

/// `openstorekit device`: runs a phone with the sample app on it, in the browser.
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "Runs a phone with the sample app, as a web page.",
    discussion: """
      Prints 'ready http://HOST:PORT' when its page can be opened, and ends on SIGTERM, on Ctrl-C, or when its terminal is closed. It listens on \
      loopback only. The app is another process, which the page can force-quit and start again. Without --data the phone is forgotten at the end. \
      It logs to standard error; LOG_LEVEL (debug, info, warning, …) sets the level.
      """)

  @Option(help: "The phone's name.")
  var name = "phone"

  @Option(help: "The port to listen on; 0 for a free port.")
  var port = 8100

  @Option(help: ArgumentHelp("The folder of the phone: its app, its keychain, its settings.", valueName: "folder"))
  var data: String?

  @Option(
    help: ArgumentHelp(
      "Where backups are, by default in the phone's folder; two phones may share it.", valueName: "folder"))
  var documents: String?

  @Option(help: ArgumentHelp("The address of the App Store, as printed by openstorekit emulator.", valueName: "url"))
  var store: String

  @Option(
    help: ArgumentHelp(
      "The address of the developer's purchase server, as printed by openstorekit server.", valueName: "url"))
  var server: String?

  @Flag(exclusivity: .exclusive)
  var credits: CreditsPlace?

  @Option(
    name: .customLong("storekit"),
    help: ArgumentHelp(
      "The StoreKit that the app uses: 1 or 2; by default that of the phone, or 1.", valueName: "version"))
  var storeKit: StoreInterface?

  @OptionGroup var framing: FramingOptions

  @Flag(help: ArgumentHelp("End when standard input ends: for a program that runs the phone.", visibility: .hidden))
  var endWithInput = false

  func validate() throws {
    guard (0...65535).contains(port) else { throw ValidationError("\(port) is not a port; use 0 to 65535.") }
    guard !name.isEmpty else { throw ValidationError("--name may not be empty.") }
    _ = try address(store, "--store")
    _ = try server.map { try address($0, "--server") }
    try ValidationError.check(credits, server: server)
  }

  private func address(_ text: String, _ option: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host() != nil else {
      throw ValidationError("\(option) is an address such as http://127.0.0.1:8080; not \(text.debugDescription).")
    }
    return url
  }

  func run() async throws {
    if endWithInput { Listening.endWithInput() }
    try await PhoneProgram(
      name: name, port: port, data: data.map { URL(filePath: $0) }, documents: documents.map { URL(filePath: $0) },
      store: try address(store, "--store"), server: try server.map { try address($0, "--server") },
      credits: credits, storeKit: storeKit, framedBy: framing.origins
    ).run()
  }
}

extension ValidationError {
  /// Checks the options that `device` and `sample-app` share: `--server-credits` needs `--server`.
  static func check(_ credits: CreditsPlace?, server: String?) throws {
    guard server != nil || credits != .server else {
      throw ValidationError("--server-credits needs the address of the purchase server: --server URL.")
    }
  }
}
