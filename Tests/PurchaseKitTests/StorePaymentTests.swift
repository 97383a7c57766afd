import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

@Suite("Purchases begun in the App Store", .timeLimit(.minutes(30)))
struct StorePaymentTests {
  @Test(
    "B4 a purchase begun in the App Store continues at once if the app is ready, and is delivered",
    arguments: StoreInterface.allCases)
  func atOnce(_ storeKit: StoreInterface) async throws {
    let shop = try await TestShop(storeKit)
    let log = NotificationLog(
      shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification,
      .InAppPurchaseManagerStorePaymentPendingNotification)
    try await shop.begin(TestShop.five)
    #expect(await log.next()?.transaction?.productIdentifier == TestShop.five)
    #expect(shop.manager.pendingStorePayments.isEmpty)
    #expect(try shop.credits.balance == 5)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test(
    "C5 on a restricted device it waits, and continues when it is resumed: one charge, however often it is resumed",
    arguments: StoreInterface.allCases)
  func restricted(_ storeKit: StoreInterface) async throws {
    let shop = try await TestShop(storeKit)
    let pending = NotificationLog(shop.notifications, .InAppPurchaseManagerStorePaymentPendingNotification)
    shop.device.paymentsAllowed = false
    try await shop.begin(TestShop.five)
    let payment = try #require(await pending.next()?.payment)
    #expect(shop.manager.pendingStorePayments == [payment])
    #expect(throws: InAppPurchaseError.paymentsNotAllowed) { try shop.manager.resumeStorePayment(payment) }
    #expect(shop.manager.pendingStorePayments == [payment])
    #expect(shop.manager.openPayment(for: TestShop.five) == nil)

    shop.device.paymentsAllowed = true
    let succeeded = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    try shop.manager.resumeStorePayment(payment)
    #expect(shop.manager.openPayment(for: TestShop.five) == .underWay)
    #expect(shop.manager.pendingStorePayments.isEmpty)
    #expect(throws: InAppPurchaseError.notPending(productIdentifier: TestShop.five)) {
      try shop.manager.resumeStorePayment(payment)
    }
    #expect(await succeeded.next()?.transaction?.productIdentifier == TestShop.five)
    #expect(try shop.credits.balance == 5)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test(
    "B7 a product without a delivery is not bought from the App Store until one is registered",
    arguments: StoreInterface.allCases)
  func unknownProduct(_ storeKit: StoreInterface) async throws {
    let shop = try await TestShop(storeKit)
    let pending = NotificationLog(shop.notifications, .InAppPurchaseManagerStorePaymentPendingNotification)
    try await shop.begin(TestShop.unknown)
    let payment = try #require(await pending.next()?.payment)
    #expect(throws: InAppPurchaseError.noDelivery(TestShop.unknown)) {
      try shop.manager.resumeStorePayment(payment)
    }
    #expect(shop.manager.pendingStorePayments == [payment])
    let later = CreditManager(
      store: try TestVault.credits(), creditsForProduct: [TestShop.unknown: 1],
      notifications: shop.notifications)
    let succeeded = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    shop.manager.register(later)
    try shop.manager.resumeStorePayment(payment)
    _ = await succeeded.next()
    #expect(try later.balance == 1)
  }

  @Test("after stop, the manager lets it wait; asked twice about one payment, it stores and reports it once")
  func notStarted() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    let product = try #require(try await shop.product(TestShop.five).skProduct)
    let payment = SKPayment(product: product)
    let observers = shop.device.paymentQueue.transactionObservers
    let observer = try #require(observers.compactMap { $0 as? CustomPaymentObserver }.first)
    let pending = NotificationLog(shop.notifications, .InAppPurchaseManagerStorePaymentPendingNotification)
    shop.manager.stop()
    for _ in 1...2 {
      #expect(!observer.paymentQueue(shop.device.paymentQueue, shouldAddStorePayment: payment, for: product))
    }
    let stored = try #require(await pending.next()?.payment)
    #expect(stored.skPayment === payment)
    shop.notifications.post(name: .InAppPurchaseManagerStorePaymentPendingNotification, object: nil)
    #expect(await pending.next()?.payment == nil)
    #expect(throws: InAppPurchaseError.notStarted) { try shop.manager.resumeStorePayment(stored) }
    #expect(shop.manager.pendingStorePayments == [stored])
  }
}

extension TestShop {
  /// Starts the manager, and begins a purchase in the App Store once the store knows the device.
  fileprivate func begin(_ product: String) async throws {
    manager.start()
    _ = try await self.product(product)
    try await store.beginPromotedPurchase(of: ProductID(product), on: device.installationID)
  }
}
