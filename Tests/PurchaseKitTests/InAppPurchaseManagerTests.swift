import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import SharedFixtures
import StoreModel
import Testing

@Suite("InAppPurchaseManager", .timeLimit(.minutes(30)))
struct InAppPurchaseManagerTests {
  @Test(
    "B4 B5 a purchase grants its credits and is finished, repeatedly",
    arguments: StoreInterface.allCases)
  func purchase(_ storeKit: StoreInterface) async throws {
    let shop = try await TestShop(storeKit)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    let first = try await shop.manager.purchase(five)
    let second = try await shop.manager.purchase(five)
    #expect(first.transactionIdentifier != second.transactionIdentifier)
    #expect(first.originalTransactionIdentifier == first.transactionIdentifier)
    #expect((first.signedTransaction != nil) == (storeKit == .storeKit2))
    await shop.untilAllIsFinished()
    try await shop.close()
    #expect(try shop.credits.balance == 10)
    #expect(try await shop.store.charges().map(\.amount.rawValue) == [990, 990])
  }

  @Test(
    "B6 the product is delivered quantity times, for one charge",
    arguments: StoreInterface.allCases)
  func quantity(_ storeKit: StoreInterface) async throws {
    let shop = try await TestShop(storeKit)
    shop.manager.start()
    let purchase = try await shop.manager.purchase(try await shop.product(TestShop.ten), quantity: 4)
    #expect(purchase.quantity == 4)
    #expect(try shop.credits.balance == 40)
    #expect(try await shop.store.charges().map(\.amount.rawValue) == [7960])
    await #expect(throws: InAppPurchaseError.quantityOutOfRange(11)) {
      try await shop.manager.purchase(try await shop.product(TestShop.ten), quantity: 11)
    }
  }

  @Test(
    "B8 notifications report products fetched, purchases and failures, with the transaction under its key",
    arguments: StoreInterface.allCases)
  func notifications(_ storeKit: StoreInterface) async throws {
    let customer = OneRefusal()
    let shop = try await TestShop(storeKit, customer: customer)
    let log = NotificationLog(
      shop.notifications, .InAppPurchaseManagerProductsFetchedNotification,
      .InAppPurchaseManagerTransactionSucceededNotification, .InAppPurchaseManagerTransactionFailedNotification)
    shop.manager.start()
    shop.manager.requestProductData([TestShop.five])
    #expect(await log.next()?.name == .InAppPurchaseManagerProductsFetchedNotification)
    let five = try #require(shop.manager.fetchedProducts[TestShop.five])

    try shop.manager.purchaseProduct(five)
    let failed = try #require(await log.next())
    #expect(failed.name == .InAppPurchaseManagerTransactionFailedNotification)
    let cancelled = try #require(failed.userInfo["transaction"] as? StoreTransaction)
    #expect(cancelled.error?.isPaymentCancellation == true)

    try shop.manager.purchaseProduct(five)
    let succeeded = try #require(await log.next())
    #expect(succeeded.name == .InAppPurchaseManagerTransactionSucceededNotification)
    let paid = try #require(succeeded.userInfo["transaction"] as? StoreTransaction)
    #expect(paid.productIdentifier == TestShop.five)
    #expect(try shop.credits.balance == 5)
  }

  @Test(
    "a manager that was not started refuses to buy; a stopped one resumes its waiting callers with an error",
    arguments: StoreInterface.allCases)
  func notStarted(_ storeKit: StoreInterface) async throws {
    let customer = NeverAnswering()
    let shop = try await TestShop(storeKit, customer: customer)
    let five = try await shop.product(TestShop.five)
    #expect(throws: InAppPurchaseError.notStarted) { try shop.manager.purchaseProduct(five) }
    await #expect(throws: InAppPurchaseError.notStarted) { try await shop.manager.purchase(five) }
    shop.manager.start()
    let purchase = Task { try await shop.manager.purchase(five) }
    await customer.asked.next()
    shop.manager.stop()
    await #expect(throws: InAppPurchaseError.stopped) { try await purchase.value }
  }

  @Test(
    "cancelling the task ends the wait, not the payment",
    arguments: StoreInterface.allCases)
  func cancelledTask(_ storeKit: StoreInterface) async throws {
    let customer = NeverAnswering()
    let shop = try await TestShop(storeKit, customer: customer)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    let purchase = Task { try await shop.manager.purchase(five) }
    await customer.asked.next()
    purchase.cancel()
    await #expect(throws: CancellationError.self) { try await purchase.value }
    #expect(shop.manager.openPayment(for: TestShop.five) == .underWay)
  }

  @Test("a task that was cancelled before buys nothing, and restores nothing")
  func cancelledBefore() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    let product = try await shop.product(TestShop.five)
    let gate = Gate()
    let buying = Task {
      await gate.pass()
      try await shop.manager.purchase(product)
    }
    let restoring = Task {
      await gate.pass()
      _ = try await shop.manager.restorePurchases()
    }
    buying.cancel()
    restoring.cancel()
    gate.open()
    await #expect(throws: CancellationError.self) { try await buying.value }
    await #expect(throws: CancellationError.self) { try await restoring.value }
    #expect(shop.device.paymentQueue.transactions.isEmpty)
    #expect(!shop.manager.isRestoring)
    try await shop.close()
    #expect(!shop.network.sent.contains(.quote) && !shop.network.sent.contains(.restore))
  }

  @Test("A4 prices and texts come from the store in the customer's storefront; an unknown id fails only itself")
  func storefront() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    let american = try await shop.manager.products([TestShop.five, "com.example.nothing"])
    #expect(american.map(\.displayPrice) == ["$0.99"])
    #expect(american.map(\.localizedTitle) == ["5 credits"])
    #expect(american.map(\.localizedDescription) == ["Five"])
    #expect(shop.manager.invalidProductIdentifiers == ["com.example.nothing"])
    #expect(shop.manager.unansweredProductIdentifiers.isEmpty)

    // When the customer's storefront changes, the manager fetches the new prices. Meanwhile it sells nothing at the old ones.
    try await shop.manager.purchase(american[0])
    let fetched = NotificationLog(shop.notifications, .InAppPurchaseManagerProductsFetchedNotification)
    try await shop.store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "DEU" }
    _ = await fetched.next()
    let german = try #require(shop.manager.fetchedProducts[TestShop.five])
    #expect(german.displayPrice == "0,99\u{a0}€")
    #expect(german.localizedTitle == "5 Punkte")
    #expect(german.localizedDescription == "Fünf")
    #expect(shop.manager.purchaseButton(for: TestShop.five).title == "Buy 0,99\u{a0}€")

    // Formatters write rupiahs without decimals. A price with decimals is not rounded.
    let app = try #require(try await shop.store.apps().first?.bundleID)
    try await shop.store.changeProduct(
      ProductID(TestShop.five), of: app, ProductChange(prices: ["IDN": Milliunits(7_350_500)]))
    let changed = NotificationLog(shop.notifications, .InAppPurchaseManagerProductsFetchedNotification)
    try await shop.store.changeCustomer("customer", .sandbox) { $0.storefrontCountryCode = "IDN" }
    _ = await changed.next()
    #expect(shop.manager.fetchedProducts[TestShop.five]?.displayPrice == "Rp7.350,50")
    #expect(shop.manager.invalidProductIdentifiers == ["com.example.nothing"])
    #expect(shop.requests.all == Array(repeating: [TestShop.five, "com.example.nothing"], count: 3))
  }

  @Test("A4 an answer for the previous storefront sets no price in the new one")
  func lateAnswer() async throws {
    let shop = try await TestShop()
    let queue = ScriptedQueue()
    let answers = HeldAnswers()
    let manager = InAppPurchaseManager(
      deliveries: [], queue: queue, notifications: shop.notifications, makeProductsRequest: answers.request)
    manager.start()
    manager.requestProductData([TestShop.five])
    let old = await answers.next()
    queue.changeStorefront()
    let new = await answers.next()
    let fetched = NotificationLog(shop.notifications, .InAppPurchaseManagerProductsFetchedNotification)
    old?.answer()
    _ = await fetched.next()
    #expect(manager.purchaseButton(for: TestShop.five) == .loading)
    new?.answer()
    _ = await fetched.next()
    #expect(manager.purchaseButton(for: TestShop.five).isEnabled)
    manager.stop()
  }

  @Test("A7 the store's newest answer about a product is used")
  func withdrawn() async throws {
    let shop = try await TestShop()
    let manager = InAppPurchaseManager(
      deliveries: [], queue: shop.device.paymentQueue, notifications: shop.notifications,
      makeProductsRequest: ScriptedAnswers([.known, .invalid, .known]).request)
    let states: [PurchaseButton] = [.price("$0.00"), .invalidProduct, .price("$0.00")]
    for state in states {
      try await manager.products([TestShop.five])
      #expect(manager.purchaseButton(for: TestShop.five) == state)
      #expect(manager.fetchedProducts.isEmpty == (state == .invalidProduct))
    }
  }

  @Test("B4 delivery comes before finish: while the goods are being delivered, the transaction is unfinished")
  func order() async throws {
    let shop = try await TestShop()
    let delivery = SlowDelivery()
    let manager = shop.manager(on: shop.device.paymentQueue, deliveries: [delivery])
    manager.start()
    let five = try await manager.products([TestShop.five])[0]
    let purchase = Task { try await manager.purchase(five) }
    let paid = await delivery.nextPurchase()
    #expect(shop.device.paymentQueue.transactions.map(\.transactionState) == [.purchased])
    #expect(manager.purchaseButton(for: TestShop.five) == .purchasing)
    // The queue reports the transaction again during the delivery, as it does when an observer is added again.
    shop.device.paymentQueue.transactionObservers.first?.paymentQueue(
      shop.device.paymentQueue, updatedTransactions: shop.device.paymentQueue.transactions)
    delivery.finish()
    #expect(try await purchase.value == paid)
    try await shop.close()
    #expect(shop.device.paymentQueue.transactions.isEmpty)
    #expect(delivery.count == 1)
  }

  @Test("B8 the notifications have the documented names")
  func names() {
    let names: [Notification.Name] = [
      .InAppPurchaseManagerProductsFetchedNotification, .InAppPurchaseManagerTransactionSucceededNotification,
      .InAppPurchaseManagerTransactionFailedNotification, .InAppPurchaseManagerRequestFailedNotification,
    ]
    #expect(
      names.map(\.rawValue) == [
        "InAppPurchaseManagerProductsFetchedNotification", "InAppPurchaseManagerTransactionSucceededNotification",
        "InAppPurchaseManagerTransactionFailedNotification", "InAppPurchaseManagerRequestFailedNotification",
      ])
    #expect(InAppPurchaseManager.transactionKey == "transaction")
    #expect(InAppPurchaseManager.errorKey == "error")
    #expect("\(CustomPaymentObserver.self) \(CreditManager.self)" == "CustomPaymentObserver CreditManager")
  }
}

/// Cancels the first confirmation, and confirms from then on.
private final class OneRefusal: StoreCustomer {
  private let refused = LockedValue(false)

  func signIn(_ reason: SignInReason) async -> SignInAnswer { .credentials(.customer) }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    refused.withLock { refused in
      defer { refused = true }
      return refused ? .confirm : .cancel
    }
  }
}

/// Leaves the confirmation sheet open.
private struct NeverAnswering: StoreCustomer {
  let asked = Asked()

  final class Asked: Sendable {
    private let events = AsyncStream.makeStream(of: Void.self)
    func happened() { events.continuation.yield() }
    func next() async { _ = await events.stream.first { _ in true } }
  }

  func signIn(_ reason: SignInReason) async -> SignInAnswer { .credentials(.customer) }

  func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    asked.happened()
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    return .cancel
  }
}

/// A delivery that ends when the test finishes it.
private final class SlowDelivery: ProductDelivery {
  private let deliveries = LockedValue(0)
  private let started = AsyncStream.makeStream(of: PaidPurchase.self)
  private let ended = AsyncStream.makeStream(of: Void.self)

  var count: Int { deliveries.value }

  func handles(_ productIdentifier: String) -> Bool { true }

  func deliver(_ purchase: PaidPurchase) async throws {
    deliveries.withLock { $0 += 1 }
    started.continuation.yield(purchase)
    _ = await ended.stream.first { _ in true }
  }

  func nextPurchase() async -> PaidPurchase? { await started.stream.first { _ in true } }
  func finish() { ended.continuation.finish() }
}
