import Foundation
import PurchaseTesting
import StoreKit
import Testing

// No device of these tests is their process's current one. The app of StoreKit 2 runs in a process of its own.
@Suite("A test's store and device: subscriptions, refund requests and the App Store", .timeLimit(.minutes(30)))
struct ClubTests {
  private static func store() async throws -> TestStore {
    try await TestStore(
      StoreKitConfiguration(products: [
        ProductDefinition(productID: "filter", type: .nonConsumable, price: Milliunits(1_990)),
        ProductDefinition(
          productID: "club", type: .autoRenewableSubscription, price: Milliunits(4_990),
          subscription: SubscriptionTerms(
            groupID: "1", groupLevel: 1, period: CalendarPeriod(value: 1, unit: .month), offers: [])),
      ]), bundleID: "com.example.shop")
  }

  @Test("A subscription renews when the test says so, and not while the payment method is declined")
  func renew() async throws {
    let store = try await Self.store()
    await #expect(throws: AppStoreEmulatorError.nothingDue) { try await store.renew() }
    let device = try TestDevice(store, isCurrent: false)
    let shop = Shop(device.queue)
    shop.buy("club")
    let first = try await device.finished("club")
    try await store.renew()
    let second = try await device.finished("club")
    #expect(second.transactionIdentifier != first.transactionIdentifier)
    #expect(try await store.appStore.charges().count == 2)
    try await store.setBillingProblem(true)
    try await store.renew()
    #expect(try await store.appStore.charges().count == 2)
    _ = shop
  }

  @Test("The customer gives a reason on the sheet of a refund, or cancels it")
  func refundRequest() async throws {
    let device = try TestDevice(try await Self.store(), isCurrent: false)
    let shop = Shop(device.queue)
    shop.buy("filter")
    let id = try #require(try await device.finished("filter").transactionIdentifier.flatMap { UInt64($0) })
    device.customer.refundReason = nil
    #expect(try await device.storeKit.beginRefundRequest(for: id) == .userCancelled)
    device.customer.refundReason = .fulfillmentIssue
    #expect(try await device.storeKit.beginRefundRequest(for: id) == .success)
    #expect(device.customer.refundRequests == [TransactionID(id), TransactionID(id)])
    let requests = try await device.store.appStore.refundRequests(of: TransactionID(id))
    #expect(requests.map(\.reason) == [.fulfillmentIssue])
    _ = shop
  }

  @Test("A purchase that begins in the App Store is continued by the app")
  func promotedPurchase() async throws {
    let store = try await Self.store()
    let device = try TestDevice(store, isCurrent: false)
    let shop = Shop(device.queue)
    let promotion = AcceptedPromotions()
    device.queue.add(promotion)
    // From now on, the store knows the device.
    shop.buy("club")
    try await device.finished("club")
    try await store.beginPurchaseInAppStore("filter", on: device)
    try await device.finished("filter")
    #expect(await shop.products == ["club", "filter"])
    _ = promotion
  }

  @Test("An app of StoreKit 2 buys on a device that does not observe its queue")
  func storeKit2() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let store = try await Self.store()
      let device = try TestDevice(store, observesQueue: false)
      let filter = try await Product.products(for: ["filter"]).first
      guard case .success(.verified(let transaction))? = try await filter?.purchase() else { exit(1) }
      await transaction.finish()
      var owned: [String] = []
      for await case .verified(let entitlement) in StoreKit.Transaction.currentEntitlements {
        owned.append(entitlement.productID)
      }
      let chargeCount = try await store.appStore.charges().count
      exit(owned == ["filter"] && chargeCount == 1 && device.customer.sheets.count == 1 ? 42 : 2)
    }
  }

  @Test("The waits work for an app of StoreKit 2, too")
  func waits() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let store = try await Self.store()
      let device = try TestDevice(store)
      let filter = try await Product.products(for: ["filter"]).first
      guard case .success(.verified(let transaction))? = try await filter?.purchase() else { exit(1) }
      await transaction.finish()
      let finished = try await device.finished("filter")
      try await store.refund("filter")
      let revoked = try await device.revoked()
      exit(finished.transactionIdentifier == "\(transaction.id)" && revoked == ["filter"] ? 42 : 2)
    }
  }
}

/// An observer that continues each purchase of the App Store.
private final class AcceptedPromotions: NSObject, SKPaymentTransactionObserver {
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

  func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool { true }
}
