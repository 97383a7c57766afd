import PurchaseKit
import SampleApp
import SampleModel

@testable import CommandLineTool

/// Uses the sample app as a customer does: reads the screen, presses Buy, and waits until all transactions are finished.
final class SampleCustomer {
  let shop: SampleShop
  private let storeKit: StoreInterface
  private(set) var presses = 0
  var hasSeenSheet = false
  /// Descriptions of the errors so far.
  var problems: [String] = []
  /// Whether a purchase may stay pending for this reason. It must be granted later nevertheless.
  var mayStayPending: (String) -> Bool = { _ in false }
  /// Receives each event of the app.
  var onEvent: (AppEvent) -> Void = { _ in }

  /// Whether a payment that was started in this launch of the app has no result yet.
  private var isWaiting = false
  /// The transactions that were granted in this launch of the app, and whose finish the store has not acknowledged yet.
  private var unacknowledged: Set<String> = []
  private var acknowledged: Set<String> = []
  private var lastRequest = 0

  /// - Parameter storeKit: the StoreKit that the app uses.
  init(_ environment: RunEnvironment, storeKit: StoreInterface = .storeKit1) {
    shop = SampleShop(environment)
    self.storeKit = storeKit
  }

  func start(_ role: ProcessRole, appArguments: [String] = []) async throws {
    switch role {
    case .store: try shop.startStore()
    case .server: try await shop.startServer()
    case .app:
      try await shop.startApp(["--storekit", storeKit.rawValue] + appArguments)
      (isWaiting, unacknowledged) = (false, [])
    }
  }

  /// Presses Buy for five credits, once the button shows their price.
  func buyCredits() async throws {
    try shop.send(.showPrices)
    prices: while true {
      switch try await next() {
      case .buttons: break prices
      // The store's process is ending or starting.
      case .pricesFailed: try shop.send(.showPrices)
      default: continue
      }
    }
    try press(.buy(product: SampleCatalog.fiveCredits, quantity: 1, confirms: true))
  }

  /// Begins a payment.
  func press(_ command: AppCommand) throws {
    presses += 1
    isWaiting = true
    try shop.send(command)
  }

  /// The balance on the screen; nil if credits are frozen.
  func balance() async throws -> Int? {
    try shop.send(.showBalance)
    while true {
      switch try await next() {
      case .balance(let balance): return balance
      case .creditsFrozen: return nil
      default: continue
      }
    }
  }

  /// Returns when the app's queue is empty, and a request that was sent after that returns no unfinished transaction.
  func waitUntilAllIsFinished() async throws {
    try requestUnfinished()
    while true {
      switch try await next() {
      case .finishAcknowledged, .succeeded:
        // An app that delivers by both StoreKits may report a purchase after its finish was acknowledged. The response to a later request also proves that the queue has removed the transaction.
        try requestUnfinished()
      // The store's process is ending or starting.
      case .unfinishedFailed(lastRequest, _): try requestUnfinished()
      case .unfinished(lastRequest, delivered: 0, inQueue: 0) where !isWaiting && unacknowledged.isEmpty:
        return
      // StoreKit 2 requests them beside the worker that removes what was acknowledged.
      case .unfinished(lastRequest, delivered: 0, _)
      where storeKit == .storeKit2 && !isWaiting && unacknowledged.isEmpty:
        try requestUnfinished()
      default: continue
      }
    }
  }

  private func requestUnfinished() throws {
    lastRequest += 1
    try shop.send(.requestUnfinished(lastRequest))
  }

  /// Returns the next event of the app, after the customer's state was updated by it.
  func next() async throws -> AppEvent {
    let event = try await shop.nextEvent()
    switch event {
    case .sheet: hasSeenSheet = true
    case .succeeded(let product, let transaction, _):
      // The store receives no finish of a restored transaction.
      guard product == SampleCatalog.fiveCredits || isWaiting else { break }
      isWaiting = false
      if !acknowledged.contains(transaction) { unacknowledged.insert(transaction) }
    case .finishAcknowledged(let transaction):
      acknowledged.insert(transaction)
      unacknowledged.remove(transaction)
    case .failed(_, let domain, let code, _, _):
      isWaiting = false
      problems.append("the payment failed: \(domain) \(code)")
    case .kept(_, let reason) where mayStayPending(reason): break
    case .kept(_, let reason):
      problems.append("the purchase was not granted: \(reason)")
    case .refused(_, let reason):
      isWaiting = false
      problems.append("the purchase was refused: \(reason)")
    default: break
    }
    onEvent(event)
    return event
  }
}
