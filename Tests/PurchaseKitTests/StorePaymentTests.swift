import OpenStoreKit
import PurchaseKit
import Testing

@Suite("Purchases begun in the App Store", .timeLimit(.minutes(5)))
struct StorePaymentTests {
  @Test("a payment begun in the App Store goes on at once where the app is ready for it")
  func atOnce() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    let product = try await shop.product(TestShop.five)
    #expect(try shop.isAdded(SKPayment(product: product), product))
    #expect(shop.manager.pendingStorePayments.isEmpty)
  }

  @Test("C5 on a restricted device it waits, and goes on when it is resumed: one charge, however often it is resumed")
  func restricted() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    let product = try await shop.product(TestShop.five)
    let payment = SKPayment(product: product)
    shop.paymentsAllowed.isOn = false
    #expect(try !shop.isAdded(payment, product))
    #expect(try !shop.isAdded(payment, product))
    #expect(shop.manager.pendingStorePayments == [payment])
    #expect(throws: InAppPurchaseError.paymentsNotAllowed) { try shop.manager.resumeStorePayment(payment) }
    #expect(shop.manager.pendingStorePayments == [payment])

    shop.paymentsAllowed.isOn = true
    let succeeded = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    try shop.manager.resumeStorePayment(payment)
    #expect(shop.manager.openPayment(for: TestShop.five) == .underWay)
    #expect(shop.manager.pendingStorePayments.isEmpty)
    #expect(throws: InAppPurchaseError.notPending(productIdentifier: TestShop.five)) {
      try shop.manager.resumeStorePayment(payment)
    }
    #expect(await succeeded.next()?.transaction?.payment.productIdentifier == TestShop.five)
    #expect(try shop.credits.balance == 5)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("B7 a product that nobody gives is not bought from the App Store until somebody does")
  func unknownProduct() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    let product = try await shop.product(TestShop.unknown)
    let payment = SKPayment(product: product)
    #expect(try !shop.isAdded(payment, product))
    #expect(throws: InAppPurchaseError.noDelivery(TestShop.unknown)) {
      try shop.manager.resumeStorePayment(payment)
    }
    #expect(shop.manager.pendingStorePayments == [payment])
    shop.manager.register(
      CreditManager(
        store: try SQLiteCreditStore(at: nil), creditsForProduct: [TestShop.unknown: 1],
        notifications: shop.notifications))
    try shop.manager.resumeStorePayment(payment)
    #expect(shop.manager.pendingStorePayments.isEmpty)
  }

  @Test("before start and after stop it waits")
  func notStarted() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    let product = try await shop.product(TestShop.five)
    let payment = SKPayment(product: product)
    let observer = try shop.observer
    shop.manager.stop()
    #expect(!observer.paymentQueue(shop.device.paymentQueue, shouldAddStorePayment: payment, for: product))
    #expect(throws: InAppPurchaseError.notStarted) { try shop.manager.resumeStorePayment(payment) }
    shop.manager.start()
    #expect(shop.manager.pendingStorePayments == [payment])
    try shop.manager.resumeStorePayment(payment)
  }
}

extension TestShop {
  fileprivate var observer: CustomPaymentObserver {
    get throws {
      let observers = device.paymentQueue.transactionObservers.compactMap { $0 as? CustomPaymentObserver }
      guard let observer = observers.first else { throw NoObserver() }
      return observer
    }
  }

  private struct NoObserver: Error {}

  /// What the manager's observer answers to a payment that was begun in the App Store.
  fileprivate func isAdded(_ payment: SKPayment, _ product: SKProduct) throws -> Bool {
    try observer.paymentQueue(device.paymentQueue, shouldAddStorePayment: payment, for: product)
  }
}
