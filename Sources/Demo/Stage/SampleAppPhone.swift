import Foundation
import ProgramSupport
import SampleApp
import SampleModel
import SignedData

/// A phone with the sample app on it: the app's process may be started, steered, killed and started again, and the app
/// removed. The phone keeps its identity and its keychain.
final class SampleAppPhone {
  private let storeAddress: String
  private let folder: URL
  private let deviceID = UUID()
  private let receiptRoot: SHA256Fingerprint?
  private let serverAddress: URL?
  private let processes: StageProcesses
  let account: String
  /// The app's; nil while it is not running.
  private var process: ChildProcess?
  private var acknowledged: Set<String> = []
  private var setAside: [SampleAppEvent] = []
  /// What the buttons read when the app last said so, by product.
  private(set) var buttons: [String: String] = [:]
  /// The products the app has asked the store about since it was launched.
  private(set) var asked: Set<String> = []

  /// - Parameters:
  ///   - processes: the app's is started among them.
  ///   - receiptRoot: what the app has built in; nil where it trusts the store it meets.
  ///   - serverAddress: the purchase server's; nil for an app without one.
  ///   - account: who signs in to the store on it.
  init(
    storeAddress: String, folder: URL, processes: StageProcesses, receiptRoot: SHA256Fingerprint? = nil,
    serverAddress: URL? = nil, account: String = "customer"
  ) {
    self.processes = processes
    self.account = account
    self.storeAddress = storeAddress
    self.serverAddress = serverAddress
    self.receiptRoot = receiptRoot
    self.folder = folder
  }

  /// Starts the app.
  ///
  /// - Parameters:
  ///   - hold: where it is to wait for ever.
  ///   - version: which version of the app it is; the second knows one product more.
  ///   - isOffline: whether the phone has no network at first.
  ///   - isRestricted: whether purchases are restricted on the phone at first.
  func launch(hold: HoldPoint? = nil, version: Int = 1, isOffline: Bool = false, isRestricted: Bool = false) throws {
    (buttons, setAside, asked) = ([:], [], [])
    var arguments = ["sample-app", "--tell-screen", "--retry-milliseconds", "20", "--app-version", String(version)]
    arguments += ["--keychain", keychain.path, "--device-id", deviceID.uuidString]
    if let receiptRoot { arguments += ["--receipt-root", receiptRoot.description] }
    if let serverAddress { arguments += ["--server", serverAddress.absoluteString] }
    if let hold { arguments += ["--hold", hold.rawValue] }
    if isOffline { arguments.append("--offline") }
    if isRestricted { arguments.append("--restricted") }
    process = try processes.start(
      arguments,
      environment: [
        "OPENSTOREKIT_URL": storeAddress, "OPENSTOREKIT_ENVIRONMENT": "sandbox",
        "OPENSTOREKIT_DATA": appFolder.path, "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier,
        "OPENSTOREKIT_APP_VERSION": "\(version).0", "OPENSTOREKIT_ACCOUNT": account,
      ])
  }

  /// Whether the app was launched, and neither killed nor quit.
  var isRunning: Bool { process != nil }

  /// Goes with the app.
  var appFolder: URL { folder.appending(path: "app") }
  /// Stays when the app is removed.
  private var keychain: URL { folder.appending(path: "keychain") }
  /// A place on the phone that is no app's.
  var documents: URL { folder.appending(path: "documents") }

  /// Removes the app, which is not running, with all it keeps.
  func removeApp() throws { try FileManager.default.removeItem(at: appFolder) }

  /// Steers the app, which is running.
  func tell(_ order: SampleAppOrder) throws { try running().write(try SampleAppMessages.write(order)) }

  /// The next thing that happens in the app. What the store acknowledges and what the buttons read comes in its own time,
  /// and is kept apart.
  func nextEvent() async throws -> SampleAppEvent {
    if !setAside.isEmpty { return setAside.removeFirst() }
    while true {
      if let event = try await readEvent() { return event }
    }
  }

  /// Returns when the button of `product` reads what is wanted. What happens meanwhile is set aside, for ``nextEvent()``.
  func waitForButton(_ product: String, _ isWanted: (String) -> Bool) async throws {
    while buttons[product].map(isWanted) != true {
      if let event = try await readEvent() { setAside.append(event) }
    }
  }

  func waitForButton(_ product: String, _ title: String) async throws {
    try await waitForButton(product) { $0 == title }
  }

  /// Returns when the product can be bought at its price.
  func waitForPrice(of product: String) async throws {
    try await waitForButton(product) { $0.hasPrefix("Buy ") }
  }

  /// Nil for what is kept apart.
  private func readEvent() async throws -> SampleAppEvent? {
    let event = try await read()
    switch event {
    case .finishAcknowledged(let transaction): acknowledged.insert(transaction)
    case .screen(let titles): buttons.merge(titles) { $1 }
    case .askedStore(let products): asked.formUnion(products)
    default: return event
    }
    return nil
  }

  /// Returns when the store has acknowledged that `transaction` is finished.
  func waitUntilFinished(_ transaction: String) async throws {
    while !acknowledged.contains(transaction) {
      if let event = try await readEvent() {
        throw DemoFailure("Waiting for a finish, something else happened: \(event)")
      }
    }
  }

  private func read() async throws -> SampleAppEvent {
    guard let line = try await running().nextLine() else { throw DemoFailure("The sample app ended unexpectedly.") }
    return try SampleAppMessages.read(SampleAppEvent.self, from: line)
  }

  /// Kills the app's process, as a crash would.
  func kill() async throws {
    try await running().kill()
    process = nil
  }

  /// How long it may take to end by itself: that it does is what is checked, however slow the machine.
  private static let secondsToQuit = 60

  /// Has the app end by itself.
  func quit() async throws {
    guard try await running().end(graceSeconds: Self.secondsToQuit) == 0 else {
      throw DemoFailure("The sample app did not end cleanly.")
    }
    process = nil
  }

  private func running() throws -> ChildProcess {
    guard let process else { throw DemoFailure("The sample app is not running.") }
    return process
  }
}
