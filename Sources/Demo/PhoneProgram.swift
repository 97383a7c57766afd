import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import ProgramSupport
import PurchaseKit
import SampleApp

/// A phone with the sample app, in a browser. The app is another process.
package struct PhoneProgram {
  private let name: String
  /// The port of the phone's page on loopback; 0 for a free port.
  private let port: Int
  /// The phone's folder; nil for a temporary one.
  private let data: URL?
  /// The folder of backups; nil for one in the phone's folder.
  private let documents: URL?
  private let store: URL
  private let server: URL?
  /// The place of the monkey credits; nil for that of the phone, or the usual one.
  private let credits: CreditsPlace?
  /// The StoreKit of the app; nil for that of the phone, or StoreKit 1.
  private let storeKit: StoreInterface?
  /// The origins of pages that may show this page in a frame.
  private let origins: [String]

  package init(
    name: String, port: Int, data: URL?, documents: URL?, store: URL, server: URL?,
    credits: CreditsPlace?, storeKit: StoreInterface? = nil, framedBy origins: [String]
  ) {
    self.name = name
    self.port = port
    self.data = data
    self.documents = documents
    self.store = store
    self.server = server
    self.credits = credits
    self.storeKit = storeKit
    self.origins = origins
  }

  /// Serves the page until Ctrl-C, SIGTERM, or the end of the terminal.
  ///
  /// - Throws: ``CommandFailure`` if the port or the folder is in use.
  package func run() async throws {
    let logger = Logger.standardError(label: "device")
    let temporary = TemporaryFolder("phone")
    if data == nil { try temporary.make() }
    defer { if data == nil { temporary.remove(logger) } }
    let folder = try PhoneFolder(data ?? temporary.url, documents: documents)
    defer { folder.release() }
    let phone = try Phone(
      network: PhoneNetwork(name: name, store: store, server: server, credits: credits, storeKit: storeKit),
      folder: folder, environment: ProcessInfo.processInfo.environment)
    let client = AppConnection.client()
    do {
      try await serve(phone, client, logger)
    } catch {
      await phone.shutDown()
      do {
        try await client.shutdown()
      } catch let fault {
        // The first error is thrown below. This second error is only logged.
        logger.warning("The connection to the app did not close", metadata: ["error": "\(fault)"])
      }
      throw error
    }
    await phone.shutDown()
    try await client.shutdown()
  }

  private func serve(_ phone: Phone, _ client: HTTPClient, _ logger: Logger) async throws {
    let app = AppConnection(client: client, socket: phone.folder.socket)
    let pages = DevicePages(phone: phone, app: app, framedBy: origins)
    let application = Application(
      responder: pages.router().buildResponder(),
      configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
      onServerRunning: { channel in
        // The app opens by itself, as on a phone that showed the app before it was switched off.
        await phone.openAtStart()
        Listening.printReady(host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
      }, logger: logger)
    try await Listening.run([application], graceSeconds: ShutdownSeconds.requests, ports: [port], logger: logger)
  }
}
