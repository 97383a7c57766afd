import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

@testable import SampleModel

@Suite("The monkey credits screen", .timeLimit(.minutes(5)))
struct ConsumablesModelTests {
  @Test("A7 buttons are disabled until their price has arrived, and then read Buy with the price")
  func prices() async throws {
    let sample = try await Sample()
    let screen = sample.screen
    #expect(screen.button(for: SampleCatalog.fiveCredits) == .loading)
    #expect(!screen.button(for: SampleCatalog.fiveCredits).isEnabled)
    #expect(screen.button(for: SampleCatalog.fiveCredits).title == "loading…")
    #expect(throws: (any Error).self) { try screen.buy(SampleCatalog.fiveCredits) }
    try await sample.appear()
    #expect(screen.button(for: SampleCatalog.fiveCredits).title == "Buy $0.99")
    #expect(screen.button(for: SampleCatalog.fiveCredits).isEnabled)
    #expect(screen.title(of: SampleCatalog.fiveCredits) == "5 monkey credits")
    // The store does not know the other one in this test.
    #expect(screen.button(for: SampleCatalog.tenCredits) == .invalidProduct)
  }

  @Test("A7 prices once loaded are not asked for again on the next appearance")
  func pricesOnce() async throws {
    let sample = try await Sample(sellsTen: true)
    try await sample.appear()
    sample.screen.disappear()
    let requests = sample.requests.count
    sample.screen.appear()
    // Whatever the screen asks for would be asked before this.
    try await sample.askAgain()
    #expect(sample.requests.count == requests + 1)
    #expect(sample.screen.button(for: SampleCatalog.tenCredits).title == "Buy $1.99")
  }

  @Test("B5 every purchase raises the balance; spending lowers it; a spend too large is refused with words")
  func balance() async throws {
    let sample = try await Sample()
    try await sample.appear()
    #expect(try sample.screen.balanceText == "0 monkey credits")
    try await sample.buy(SampleCatalog.fiveCredits)
    try await sample.buy(SampleCatalog.fiveCredits, quantity: 2)
    #expect(try sample.screen.balanceText == "15 monkey credits")
    try await sample.screen.spend(6)
    #expect(try sample.screen.balanceText == "9 monkey credits")
    #expect(sample.screen.alert == nil)
    try await sample.screen.spend(10)
    #expect(sample.screen.alert?.contains("9") == true)
    #expect(try sample.screen.balanceText == "9 monkey credits")
  }

  @Test("C1 a cancellation shows no alert, and the button can be pressed again")
  func cancellation() async throws {
    let sample = try await Sample(customer: CancellingCustomer())
    try await sample.appear()
    try await sample.buy(SampleCatalog.fiveCredits, until: .InAppPurchaseManagerTransactionFailedNotification)
    #expect(sample.screen.alert == nil)
    #expect(sample.screen.button(for: SampleCatalog.fiveCredits).isEnabled)
  }

  @Test("C5 on a restricted device the buttons read AppStore disabled, and nothing can be bought")
  func restricted() async throws {
    let sample = try await Sample(paymentsAllowed: false)
    try await sample.appear()
    #expect(sample.screen.button(for: SampleCatalog.fiveCredits) == .disabled)
    #expect(throws: InAppPurchaseError.notForSale(SampleCatalog.fiveCredits)) {
      try sample.screen.buy(SampleCatalog.fiveCredits)
    }
  }

  @Test("A5 a request that failed reads Network down?")
  func outOfOrder() async throws {
    #expect(BuyButton.networkDown.title == "Network down?")
    #expect(BuyButton.disabled.title == "AppStore disabled")
    for button in [BuyButton.networkDown, .disabled, .loading, .purchasing, .invalidProduct] {
      #expect(!button.isEnabled)
    }
    let sample = try await Sample(failingRequests: true)
    try await sample.appear()
    #expect(sample.screen.button(for: SampleCatalog.fiveCredits) == .networkDown)
  }
}

/// The sample app over an emulated store, in one process.
private final class Sample: @unchecked Sendable {
  let screen: ConsumablesModel
  let requests = RequestCount()
  private let device: StoreKitDevice
  private let manager: InAppPurchaseManager
  private let notifications = NotificationCenter()

  init(
    sellsTen: Bool = false, failingRequests: Bool = false, paymentsAllowed: Bool = true,
    customer: any StoreCustomer = AutomaticCustomer(credentials: SignInCredentials(account: "customer"))
  ) async throws {
    let store = try EmulatedAppStore(.inMemory(seed: 3))
    let ten = """
      , {"productID": "\(SampleCatalog.tenCredits)", "type": "Consumable", "displayPrice": "1.99"}
      """
    let catalog = """
      {"products": [
        {"productID": "\(SampleCatalog.fiveCredits)", "type": "Consumable", "displayPrice": "0.99",
         "localizations": [{"locale": "en_US", "displayName": "5 monkey credits", "description": ""}]}
        \(sellsTen ? ten : "")
      ], "version": {"major": 4, "minor": 0}}
      """
    try await store.serve(
      BundleID(SampleCatalog.bundleIdentifier),
      catalog: [try StoreKitConfiguration(data: Data(catalog.utf8), name: "sample.storekit")])
    let device = try StoreKitDevice(
      connection: store, bundleID: BundleID(SampleCatalog.bundleIdentifier), storage: .inMemory, customer: customer,
      paymentsAllowed: paymentsAllowed, report: { _ in })
    self.device = device
    let credits = CreditManager(
      store: try SQLiteCreditStore(at: nil), creditsForProduct: SampleCatalog.creditsForProduct,
      notifications: notifications)
    let requests = requests
    manager = InAppPurchaseManager(
      deliveries: [credits], queue: device.paymentQueue, notifications: notifications,
      makeProductsRequest: {
        requests.increment()
        return failingRequests
          ? FailingRequest(productIdentifiers: $0) : SKProductsRequest(productIdentifiers: $0, device: device)
      },
      paymentsAllowed: { device.paymentsAllowed })
    screen = ConsumablesModel(manager: manager, credits: credits, notifications: notifications)
    manager.start()
  }

  /// The screen appears, and its prices have arrived, or the request has failed.
  func appear() async throws {
    let (ends, told) = AsyncStream.makeStream(of: Void.self)
    let names: [Notification.Name] = [
      .InAppPurchaseManagerProductsFetchedNotification, .InAppPurchaseManagerRequestFailedNotification,
    ]
    let observations = names.map { name in
      notifications.addObserver(forName: name, object: nil, queue: nil) { _ in told.yield() }
    }
    defer { for observation in observations { notifications.removeObserver(observation) } }
    screen.appear()
    _ = await ends.first { _ in true }
  }

  func askAgain() async throws { try await manager.products(Set(screen.productIdentifiers)) }

  func buy(
    _ product: String, quantity: Int = 1,
    until outcome: Notification.Name = .InAppPurchaseManagerTransactionSucceededNotification
  ) async throws {
    let (outcomes, told) = AsyncStream.makeStream(of: Void.self)
    let observation = notifications.addObserver(forName: outcome, object: nil, queue: nil) { _ in told.yield() }
    defer { notifications.removeObserver(observation) }
    try screen.buy(product, quantity: quantity)
    _ = await outcomes.first { _ in true }
  }
}

private final class RequestCount: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0
  var count: Int { lock.withLock { number } }
  func increment() { lock.withLock { number += 1 } }
}

private final class FailingRequest: SKProductsRequest {
  override func start() { delegate?.request(self, didFailWithError: URLError(.notConnectedToInternet)) }
}

private struct CancellingCustomer: StoreCustomer {
  func signIn(_ reason: SignInReason) async -> SignInAnswer {
    .credentials(SignInCredentials(account: "customer"))
  }
  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer { .cancel }
}
