import ArgumentParser
import Foundation
import HTTPTransport
import Logging
import OpenStoreKit
import ProgramSupport
import PurchaseKit
import SampleApp
import ServiceLifecycle
import SignedData

/// `openstorekit sample-app`: runs the sample app in a process of its own. The demo controls it through standard input.
struct SampleAppCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample-app", abstract: "The sample app, controlled by the demo.", shouldDisplay: false)

  @Option(help: "Stop at this point.")
  var hold: HoldPoint?

  @Option(name: .customLong("storekit"), help: "The StoreKit that the app uses: 1 or 2.")
  var storeKit = StoreInterface.storeKit1

  @Flag(help: "Deliver purchases by the other StoreKit, too.")
  var bothStorekits = false

  @Option(help: "The version of the app.")
  var appVersion = 1

  @Flag(help: "Report each change of a button's title.")
  var reportScreen = false

  @Option(help: "The time between retries of failed requests to the store; by default it grows.")
  var retryMilliseconds: Int?

  @Option(help: "The timeout of requests to the store.")
  var answerSeconds = 60.0

  @Option(help: "The folder that stays on the phone when the app is removed.")
  var keychain: String?

  @Option(help: "The phone's vendor identifier, a UUID. The folder of another phone is refused.")
  var deviceID: UUID?

  @Option(help: "The SHA-256 fingerprint of the root of receipts.")
  var receiptRoot: String?

  @Option(help: ArgumentHelp("The purchase server's address.", valueName: "url"))
  var server: String?

  @Flag(exclusivity: .exclusive)
  var credits: CreditsPlace?

  @Option(help: ArgumentHelp("Serve the app's pages on this socket.", valueName: "path"))
  var pages: String?

  func validate() throws {
    if let retryMilliseconds, retryMilliseconds < 1 {
      throw ValidationError(
        "--retry-milliseconds is at least 1: a store that fails at once would be asked in a circle.")
    }
    // An invalid value must not be treated as missing: the app would trust any store, or have no server.
    if let receiptRoot, SHA256Fingerprint(hex: receiptRoot) == nil {
      throw ValidationError("--receipt-root is no SHA-256 fingerprint: \(receiptRoot.debugDescription).")
    }
    if let server, URL(string: server)?.host() == nil {
      throw ValidationError("--server is no address: \(server.debugDescription).")
    }
    try ValidationError.check(credits, server: server)
  }

  private var options: RunningApp.Options {
    var options = RunningApp.Options()
    options.hold = hold
    options.storeKit = storeKit
    options.usesBothStoreKits = bothStorekits
    options.version = appVersion
    options.reportsScreen = reportScreen
    options.retryMilliseconds = retryMilliseconds
    options.answerSeconds = answerSeconds
    options.keychain = keychain.map { URL(filePath: $0) }
    options.deviceID = deviceID
    options.receiptRoot = receiptRoot.flatMap(SHA256Fingerprint.init(hex:))
    options.credits = credits
    options.hasPages = pages != nil
    options.server = server.flatMap(URL.init(string:))
    options.transport = { SystemTransport.program(timeoutSeconds: $0) }
    return options
  }

  func run() async throws {
    let app: RunningApp
    do {
      app = try RunningApp(
        settings: DeviceSettings(ProcessInfo.processInfo.environment), options: options, send: .standardOutput)
    } catch let error as StoreKitDeviceError {
      throw CommandFailure.unusable(error.description)
    }
    if let pages {
      try await serve(app, at: pages)
    } else {
      await app.start()
      for await line in Self.standardInput() {
        try await app.perform(try AppMessages.read(AppCommand.self, from: line))
      }
      try await app.close()
    }
  }

  /// Serves the app's pages until standard input ends. Standard input is a pipe from the phone's process.
  private func serve(_ app: RunningApp, at socket: String) async throws {
    let pages = await AppPages(app)
    let logger = Logger.standardError(label: "sample-app")
    let server = ServiceGroup(
      services: [AppServer(pages, path: socket, send: .standardOutput).application(logger: logger)], logger: logger)
    Task {
      do {
        try await server.run()
      } catch {
        // The process ends, because the app is useless without its pages. The phone detects the end.
        logger.error("The app cannot show itself", metadata: ["error": "\(error)"])
        Foundation.exit(1)
      }
    }
    await app.start()
    for await line in Self.standardInput() {
      await app.performReporting(line)
    }
    // All durable data is written by now. If other work hangs, the process must still end when the phone ends.
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(ShutdownSeconds.app)) { Foundation.exit(0) }
    await server.triggerGracefulShutdown()
    try await app.close()
    Foundation.exit(0)
  }

  /// Returns the lines of standard input. A separate thread reads them, because reading blocks.
  private static func standardInput() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}

extension HoldPoint: ExpressibleByArgument {}

extension StoreInterface: ExpressibleByArgument {}

extension UUID: @retroactive ExpressibleByArgument {
  public init?(argument: String) { self.init(uuidString: argument) }
}

/// The options `--server-credits` and `--device-credits`.
extension CreditsPlace: EnumerableFlag {
  package static func name(for place: CreditsPlace) -> NameSpecification {
    switch place {
    case .server: .customLong("server-credits")
    case .device: .customLong("device-credits")
    }
  }

  package static func help(for place: CreditsPlace) -> ArgumentHelp? {
    switch place {
    case .server:
      "The purchase server stores the monkey credits, so that they reach the customer's other devices. The default with --server; the server needs the products."
    case .device: "This device stores the monkey credits. The default without --server."
    }
  }
}
