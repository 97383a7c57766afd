import Foundation
import ProgramSupport
import PurchaseKit
import SampleApp
import SampleModel
import SignedData

/// A phone with the sample app, for the script. The script can start, control and kill the app's process, and remove
/// the app. The phone keeps its device identifier and its keychain.
final class SampleAppPhone {
  private let storeAddress: String
  private let folder: URL
  private let deviceID = UUID()
  private let receiptRoot: SHA256Fingerprint?
  private let serverAddress: URL?
  private let hasServerCredits: Bool
  private let storeKit: StoreInterface
  private let processes: ScriptProcesses
  let account: String
  /// The app's process; nil while the app is not running.
  private var process: ChildProcess?
  private var acknowledged: Set<String> = []
  private var setAside: [AppEvent] = []
  /// The titles of the buttons that the app last reported, by product.
  private(set) var buttons: [String: String] = [:]
  /// The products that the app has requested from the store since its launch.
  private(set) var asked: Set<String> = []

  /// - Parameters:
  ///   - processes: the list to which the app's process is added.
  ///   - receiptRoot: the fingerprint that is built into the app; nil for an app that trusts any store.
  ///   - serverAddress: the purchase server; nil for an app without one.
  ///   - hasServerCredits: whether the purchase server stores the monkey credits.
  ///   - account: the store account that signs in on the phone.
  ///   - storeKit: the StoreKit that the app uses.
  init(
    storeAddress: String, folder: URL, processes: ScriptProcesses, receiptRoot: SHA256Fingerprint? = nil,
    serverAddress: URL? = nil, hasServerCredits: Bool = false, account: String = "customer",
    storeKit: StoreInterface = .storeKit1
  ) {
    self.storeKit = storeKit
    self.processes = processes
    self.account = account
    self.storeAddress = storeAddress
    self.serverAddress = serverAddress
    self.hasServerCredits = hasServerCredits
    self.receiptRoot = receiptRoot
    self.folder = folder
  }

  /// Starts the app.
  ///
  /// - Parameters:
  ///   - hold: the point at which the app waits until it is killed; nil if it does not wait.
  ///   - version: the version of the app. Version 2 has one more product.
  ///   - isOffline: whether the phone has no network at first.
  ///   - isRestricted: whether purchases are restricted on the phone at first.
  func launch(hold: HoldPoint? = nil, version: Int = 1, isOffline: Bool = false, isRestricted: Bool = false) throws {
    (buttons, setAside, asked) = ([:], [], [])
    var arguments = ["sample-app", "--report-screen", "--retry-milliseconds", "20", "--app-version", String(version)]
    arguments += ["--keychain", keychain.path, "--device-id", deviceID.uuidString]
    if let receiptRoot { arguments += ["--receipt-root", receiptRoot.description] }
    if let serverAddress { arguments += ["--server", serverAddress.absoluteString] }
    arguments.append(hasServerCredits ? "--server-credits" : "--device-credits")
    arguments += ["--storekit", storeKit.rawValue]
    if let hold { arguments += ["--hold", hold.rawValue] }
    process = try processes.start(
      arguments,
      environment: [
        "OPENSTOREKIT_URL": storeAddress, "OPENSTOREKIT_ENVIRONMENT": "sandbox",
        "OPENSTOREKIT_DATA": appFolder.path, "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier,
        "OPENSTOREKIT_APP_VERSION": "\(version).0", "OPENSTOREKIT_ACCOUNT": account,
        "OPENSTOREKIT_OFFLINE": isOffline ? "1" : "0", "OPENSTOREKIT_RESTRICTED": isRestricted ? "1" : "0",
      ])
  }

  /// Whether the app was launched, and has not been killed or quit since.
  var isRunning: Bool { process != nil }

  /// The app's data. Removed together with the app.
  var appFolder: URL { folder.appending(path: "app") }
  /// The phone's keychain. It stays when the app is removed.
  private var keychain: URL { folder.appending(path: "keychain") }
  /// A folder on the phone that belongs to no app.
  var documents: URL { folder.appending(path: "documents") }

  /// Removes the app and its data. The app must not be running.
  func removeApp() throws { try FileManager.default.removeItem(at: appFolder) }

  /// Sends a command to the running app.
  func send(_ command: AppCommand) throws { try running().write(try AppMessages.write(command)) }

  /// Returns the next event of the app. Acknowledgements of the store, button titles and requests for products arrive
  /// at any time; they are stored separately and not returned.
  func nextEvent() async throws -> AppEvent {
    if !setAside.isEmpty { return setAside.removeFirst() }
    while true {
      if let event = try await readEvent() { return event }
    }
  }

  /// Returns when `isWanted` is true for the title of the button of `product`. Other events are set aside for
  /// ``nextEvent()``.
  func waitForButton(_ product: String, _ isWanted: (String) -> Bool) async throws {
    while buttons[product].map(isWanted) != true {
      if let event = try await readEvent() { setAside.append(event) }
    }
  }

  func waitForButton(_ product: String, _ title: String) async throws {
    try await waitForButton(product) { $0 == title }
  }

  /// Returns when the button of `product` shows its price.
  func waitForPrice(of product: String) async throws {
    try await waitForButton(product) { $0.hasPrefix("Buy ") }
  }

  /// Reads an event. Returns nil for an event that is stored separately; see ``nextEvent()``.
  private func readEvent() async throws -> AppEvent? {
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
        throw DemoFailure("Unexpected event while waiting for a finish: \(event)")
      }
    }
  }

  private func read() async throws -> AppEvent {
    guard let line = try await running().nextLine() else { throw DemoFailure("The sample app ended unexpectedly.") }
    return try AppMessages.read(AppEvent.self, from: line)
  }

  /// Kills the app's process, as a crash would.
  func kill() async throws {
    try await running().kill()
    process = nil
  }

  /// How long the app may take to end before it is killed. This is long, because the script does not check how fast the
  /// app ends.
  private static let secondsToQuit = 60

  /// Ends the app without killing it.
  ///
  /// - Throws: ``DemoFailure`` if it does not end cleanly.
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
