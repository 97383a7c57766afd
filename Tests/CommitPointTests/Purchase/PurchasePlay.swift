import Foundation
import SampleModel

@testable import CommandLineTool

/// The customer of a ``PurchaseJourney``, who watches the screen and presses Buy, again only where nothing came of it.
final class PurchasePlay: JourneyPlay {
  private let stage: Stage
  /// The store's address once it is ready, and its port for good.
  private var address: URL?
  private var port = 0
  private var backlog: [SampleAppEvent] = []

  private var presses = 0
  private var hasSeenSheet = false
  /// Pressed in this launch of the app, and nothing came of it yet.
  private var isWaiting = false
  /// Given in this launch of the app, and the store has not acknowledged the finish yet.
  private var unacknowledged: Set<String> = []
  private var acknowledged: Set<String> = []
  private var lastOrder = 0
  private var problems: [String] = []

  init(_ stage: Stage) { self.stage = stage }

  let parties = [Party.store, .app]

  // MARK: Processes

  func start(_ party: Party) async throws {
    switch party {
    case .store:
      address = nil
      try stage.launch(
        .store, "openstorekit",
        [
          "emulator", "--end-with-input", "--config", stage.folder.appending(path: "SampleApp.storekit").path,
          "--bundle-id", SampleCatalog.bundleIdentifier, "--host", stage.loopbackAddress, "--port", "\(port)",
          "--data", stage.disk(of: .store).appending(path: "data").path,
        ], variables: ["LOG_LEVEL": "warning"])
    case .app:
      let address = try await storeAddress()
      (isWaiting, unacknowledged, backlog) = (false, [], [])
      // A second is the least URLSession can be told. It is needed: where a kept connection breaks off, URLSession on Linux
      // sends the call again without its body, and both sides wait until this time is over.
      try stage.launch(
        .app, "openstorekit", ["sample-app", "--retry-milliseconds", "5", "--answer-seconds", "1"],
        variables: [
          "OPENSTOREKIT_URL": address.absoluteString, "OPENSTOREKIT_ENVIRONMENT": "sandbox",
          "OPENSTOREKIT_DATA": stage.disk(of: .app).appending(path: "data").path,
          "OPENSTOREKIT_BUNDLE_ID": SampleCatalog.bundleIdentifier, "OPENSTOREKIT_APP_VERSION": "1.0",
          "OPENSTOREKIT_ACCOUNT": "customer",
        ])
    }
  }

  private func storeAddress() async throws -> URL {
    while true {
      if let address { return address }
      if let event = try await receive() { backlog.append(event) }
    }
  }

  // MARK: What happens

  func play() async throws {
    try await buy()
    try await waitUntilNothingIsLeft()
    try await stage.quit(.app)
    try await stage.quit(.store)
  }

  func settle() async throws {
    while true {
      try await waitUntilNothingIsLeft()
      // A customer who sees no credits presses again: were the first ones paid for, they would be paid for twice.
      if try await balance() > 0 { return }
      if hasSeenSheet {
        problems.append("the customer had to press Buy again, although the sheet had been shown")
        hasSeenSheet = false
      }
      guard presses < 5 else { return problems.append("pressing Buy had no effect, \(presses) times") }
      try await buy()
    }
  }

  private func buy() async throws {
    try tell(.showPrices)
    prices: while true {
      switch try await next() {
      case .buttons: break prices
      // The store's process is ending or beginning.
      case .pricesFailed: try tell(.showPrices)
      default: continue
      }
    }
    presses += 1
    isWaiting = true
    try tell(.buy(product: SampleCatalog.fiveCredits, quantity: 1, confirms: true))
  }

  private func balance() async throws -> Int {
    try tell(.showBalance)
    while true {
      if case .balance(let balance) = try await next() { return balance }
    }
  }

  /// Returns when the app's queue is empty and the store, asked after that, has nothing unfinished for it.
  private func waitUntilNothingIsLeft() async throws {
    try askForUnfinished()
    while true {
      switch try await next() {
      case .finishAcknowledged:
        // The answer to a later question also proves that the queue has forgotten the transaction.
        try askForUnfinished()
      case .unfinished(lastOrder, delivered: 0, inQueue: 0) where !isWaiting && unacknowledged.isEmpty:
        return
      default: continue
      }
    }
  }

  private func askForUnfinished() throws {
    lastOrder += 1
    try tell(.askForUnfinished(lastOrder))
  }

  private func tell(_ order: SampleAppOrder) throws { stage.tell(.app, try SampleAppLine.write(order)) }

  /// The next thing that happens in the app, which the customer takes note of.
  private func next() async throws -> SampleAppEvent {
    var received = backlog.isEmpty ? nil : backlog.removeFirst()
    while received == nil { received = try await receive() }
    guard let event = received else { throw CancellationError() }
    switch event {
    case .sheet: hasSeenSheet = true
    case .succeeded(_, let transaction, _):
      isWaiting = false
      if !acknowledged.contains(transaction) { unacknowledged.insert(transaction) }
    case .finishAcknowledged(let transaction):
      acknowledged.insert(transaction)
      unacknowledged.remove(transaction)
    case .failed(_, let domain, let code, _, _):
      isWaiting = false
      problems.append("the payment failed: \(domain) \(code)")
    case .kept(_, let reason):
      problems.append("the credits were not given: \(reason)")
    default: break
    }
    return event
  }

  /// Nil where it was the store that said something.
  private func receive() async throws -> SampleAppEvent? {
    let (party, line) = try await stage.nextLine()
    if party == .app { return try SampleAppLine.read(SampleAppEvent.self, from: line) }
    if line.hasPrefix("ready "), let url = URL(string: String(line.dropFirst(6))) {
      address = url
      port = url.port ?? 0
    }
    return nil
  }

  // MARK: The books

  func landmark(of party: Party) throws -> String? {
    try PurchaseBooks(store: stage.disk(of: .store), app: stage.disk(of: .app)).landmark(of: party)
  }

  func check() throws -> [String] {
    try problems + PurchaseBooks(store: stage.disk(of: .store), app: stage.disk(of: .app)).check()
  }
}
