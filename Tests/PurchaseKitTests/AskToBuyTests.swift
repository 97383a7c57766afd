import AppStoreEmulator
import Foundation
import OpenStoreKit
import PurchaseKit
import Testing

@Suite("Ask to Buy", .timeLimit(.minutes(30)))
struct AskToBuyTests {
  @Test(
    "B3 B4 B8 a purchase that waits for approval does not block others, and is delivered when it is approved",
    arguments: StoreInterface.allCases)
  func approved(_ storeKit: StoreInterface) async throws {
    let shop = try await TestShop.withApproval(storeKit)
    let deferred = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionDeferredNotification)
    shop.manager.start()
    let (five, ten) = (try await shop.product(TestShop.five), try await shop.product(TestShop.ten))
    await #expect(throws: InAppPurchaseError.waitingForApproval(productIdentifier: TestShop.five)) {
      try await shop.manager.purchase(five)
    }
    #expect(await deferred.next()?.transaction?.state == .deferred)
    #expect(shop.manager.openPayment(for: TestShop.five) == .waitingForApproval)
    #expect(shop.manager.purchaseButton(for: TestShop.five) == .waitingForApproval)
    #expect(shop.manager.purchaseButton(for: TestShop.ten).isEnabled)
    #expect(try await shop.store.charges().isEmpty)

    // The customer buys another product meanwhile, which needs no approval.
    try await shop.store.changeCustomer("customer", .sandbox) { $0.needsApproval = false }
    try await shop.manager.purchase(ten)
    #expect(try shop.credits.balance == 10)
    #expect(shop.manager.openTransactions.map(\.state) == [.deferred])

    let succeeded = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    try await shop.decideApproval(isApproved: true)
    #expect(await succeeded.next()?.transaction?.productIdentifier == TestShop.five)
    #expect(try shop.credits.balance == 15)
    #expect(shop.manager.purchaseButton(for: TestShop.five).isEnabled)
    #expect(try await shop.store.charges().count == 2)
  }

  @Test("B4 approved while the app is closed: delivered at the next launch, once")
  func approvedWhileClosed() async throws {
    var shop = try await TestShop.withApproval()
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    await #expect(throws: InAppPurchaseError.self) { try await shop.manager.purchase(five) }

    shop = try await shop.relaunched()
    let deferred = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionDeferredNotification)
    shop.manager.start()
    #expect(await deferred.next()?.transaction?.productIdentifier == TestShop.five)
    #expect(shop.manager.purchaseButton(for: TestShop.five) == .waitingForApproval)
    #expect(try shop.credits.balance == 0)
    try await shop.close()
    try await shop.decideApproval(isApproved: true)

    for _ in 1...2 {
      shop = try await shop.relaunched()
      let succeeded = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
      shop.manager.start()
      if !shop.device.paymentQueue.transactions.isEmpty { _ = await succeeded.next() }
      #expect(try shop.credits.balance == 5)
    }
    #expect(try await shop.store.charges().count == 1)
  }

  @Test(
    "B3 while one payment waits, code may request the same product again; each outcome goes to its own caller",
    arguments: StoreInterface.allCases)
  func askedAgain(_ storeKit: StoreInterface) async throws {
    let shop = try await TestShop.withApproval(storeKit)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    await #expect(throws: InAppPurchaseError.self) { try await shop.manager.purchase(five) }
    try await shop.store.changeCustomer("customer", .sandbox) { $0.needsApproval = false }
    let second = try await shop.manager.purchase(five)
    let transactions = try await shop.store.transactions()
    #expect(transactions.map(\.record.transactionID.rawValue) == [second.transactionIdentifier])
    #expect(shop.manager.openPayment(for: TestShop.five) == .waitingForApproval)
    #expect(try shop.credits.balance == 5)
  }

  @Test(
    "B3 C3 a declined approval ends the wait with a message: finished, nothing charged, and the button is enabled again"
  )
  func declined() async throws {
    let shop = try await TestShop.withApproval()
    let failed = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionFailedNotification)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    await #expect(throws: InAppPurchaseError.self) { try await shop.manager.purchase(five) }
    try await shop.decideApproval(isApproved: false)
    let transaction = try #require(await failed.next()?.transaction)
    #expect(transaction.error?.purchaseAlert() == "The purchase was not approved. Nothing was charged.")
    #expect(shop.manager.purchaseButton(for: TestShop.five).isEnabled)
    try await shop.close()
    #expect(shop.device.paymentQueue.transactions.isEmpty)
    #expect(try await shop.store.charges().isEmpty)
  }

  @Test("B3 C3 with StoreKit 2, the button waits also after a relaunch, and is enabled again after a declined approval")
  func declinedWithStoreKit2() async throws {
    var shop = try await TestShop.withApproval(.storeKit2)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    await #expect(throws: InAppPurchaseError.waitingForApproval(productIdentifier: TestShop.five)) {
      try await shop.manager.purchase(five)
    }
    shop = try await shop.relaunched()
    shop.manager.start()
    #expect(shop.manager.openPayment(for: TestShop.five) == .waitingForApproval)
    try await shop.decideApproval(isApproved: false)
    while shop.device.openPaymentCount > 0 { await Task.yield() }
    #expect(shop.manager.openPayment(for: TestShop.five) == nil)
    #expect(try await shop.store.charges().isEmpty)
    try await shop.close()
  }

  @Test(
    "B3 C4 an update of the app from one StoreKit to the other: the button waits for the approval that was asked before",
    arguments: StoreInterface.allCases)
  func changedStoreKit(_ storeKit: StoreInterface) async throws {
    var shop = try await TestShop.withApproval(storeKit)
    shop.manager.start()
    let five = try await shop.product(TestShop.five)
    await #expect(throws: InAppPurchaseError.waitingForApproval(productIdentifier: TestShop.five)) {
      try await shop.manager.purchase(five)
    }
    shop = try await shop.relaunched(storeKit == .storeKit1 ? .storeKit2 : .storeKit1)
    shop.manager.start()
    #expect(shop.manager.openPayment(for: TestShop.five) == .waitingForApproval)
    #expect(shop.manager.purchaseButton(for: TestShop.five) == .waitingForApproval)
    let succeeded = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    try await shop.decideApproval(isApproved: true)
    #expect(await succeeded.next()?.transaction?.productIdentifier == TestShop.five)
    #expect(shop.manager.openPayment(for: TestShop.five) == nil)
    #expect(try shop.credits.balance == 5)
    #expect(try await shop.store.charges().count == 1)
    try await shop.close()
  }
}

extension TestShop {
  /// Returns a shop whose customer needs approval for purchases.
  fileprivate static func withApproval(_ storeKit: StoreInterface = .storeKit1) async throws -> TestShop {
    let shop = try await TestShop(storeKit)
    try await shop.store.changeCustomer("customer", .sandbox) { $0.needsApproval = true }
    return shop
  }
}
