import SampleApp
import SampleModel

@testable import CommandLineTool

/// Who uses the sample app: watches the screen, presses Buy, and waits until nothing is left to be done.
final class SampleCustomer {
  let shop: SampleShop
  private(set) var presses = 0
  var hasSeenSheet = false
  /// What was wrong, in words.
  var problems: [String] = []
  /// Whether what was bought may be kept for a while for this reason; it must be given all the same.
  var mayBeKept: (String) -> Bool = { _ in false }
  /// Told of everything that happens in the app.
  var didHear: (SampleAppEvent) -> Void = { _ in }

  /// Pressed in this launch of the app, and nothing came of it yet.
  private var isWaiting = false
  /// Credits given in this launch of the app, and the store has not acknowledged the finish yet.
  private var unacknowledged: Set<String> = []
  private var acknowledged: Set<String> = []
  private var lastOrder = 0

  init(_ stage: Stage) { shop = SampleShop(stage) }

  func start(_ party: Party, appArguments: [String] = []) async throws {
    switch party {
    case .store: try shop.startStore()
    case .server: try await shop.startServer()
    case .app:
      try await shop.startApp(appArguments)
      (isWaiting, unacknowledged) = (false, [])
    }
  }

  /// Presses Buy for five credits, once the button shows their price.
  func buyCredits() async throws {
    try shop.tell(.showPrices)
    prices: while true {
      switch try await next() {
      case .buttons: break prices
      // The store's process is ending or beginning.
      case .pricesFailed: try shop.tell(.showPrices)
      default: continue
      }
    }
    try press(.buy(product: SampleCatalog.fiveCredits, quantity: 1, confirms: true))
  }

  /// Begins a payment.
  func press(_ order: SampleAppOrder) throws {
    presses += 1
    isWaiting = true
    try shop.tell(order)
  }

  /// What the screen says can be spent; nil where credits are frozen.
  func balance() async throws -> Int? {
    try shop.tell(.showBalance)
    while true {
      switch try await next() {
      case .balance(let balance): return balance
      case .creditsFrozen: return nil
      default: continue
      }
    }
  }

  /// Returns when the app's queue is empty and the store, asked after that, has nothing unfinished for it.
  func waitUntilNothingIsLeft() async throws {
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
    try shop.tell(.askForUnfinished(lastOrder))
  }

  /// The next thing that happens in the app, which the customer takes note of.
  func next() async throws -> SampleAppEvent {
    let event = try await shop.nextEvent()
    switch event {
    case .sheet: hasSeenSheet = true
    case .succeeded(let product, let transaction, _):
      // Of what was restored the store hears nothing.
      guard product == SampleCatalog.fiveCredits || isWaiting else { break }
      isWaiting = false
      if !acknowledged.contains(transaction) { unacknowledged.insert(transaction) }
    case .finishAcknowledged(let transaction):
      acknowledged.insert(transaction)
      unacknowledged.remove(transaction)
    case .failed(_, let domain, let code, _, _):
      isWaiting = false
      problems.append("the payment failed: \(domain) \(code)")
    case .kept(_, let reason) where mayBeKept(reason): break
    case .kept(_, let reason):
      problems.append("what was bought was not given: \(reason)")
    case .refused(_, let reason):
      isWaiting = false
      problems.append("what was bought was refused: \(reason)")
    default: break
    }
    didHear(event)
    return event
  }
}
