import Foundation
import OpenStoreKit
import PurchaseKit
import ShopFixtures
import StoreModel
import Testing

@Suite("A consumable that was partly refunded before its delivery", .timeLimit(.minutes(30)))
struct PartlyRefundedTests {
  @Test(
    "B4 B9 grants the credits that remain paid, with the refund rounded down, once",
    arguments: [(1, 7), (50_000, 4), (99_999, 1)])
  func remaining(percentage: Int, credits: Int) async throws {
    let vault = try TestVault.credits()
    let manager = CreditManager(store: vault, creditsForProduct: ["seven": 7])
    let purchase = PaidPurchase(
      transactionIdentifier: "1", productIdentifier: "seven", quantity: 1, date: TestVault.date,
      revocationPercentage: percentage)
    try await manager.deliver(purchase)
    try await manager.deliver(purchase)
    #expect(try manager.balance == credits)
  }

  @Test(
    "B4 B6 B9 the answer to the charge is lost, a part is refunded, and the remaining credits are granted on delivery")
  func refundedOnTheWay() async throws {
    let retry = ManualRetry()
    let shop = try await TestShop(retry: retry)
    let log = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionSucceededNotification)
    shop.manager.start()
    let product = try await shop.product(TestShop.ten)
    shop.network.loseAnswer(to: .confirm)
    try shop.manager.purchaseProduct(product, quantity: 3)
    _ = await retry.nextWait()
    let charged = try #require(try await shop.store.transactions().first)
    // 33.4 %: slightly more than a third of 30 credits.
    try await shop.store.refund(charged.record.transactionID, percentage: 33_400)
    retry.release()
    _ = await log.next()
    #expect(try shop.credits.balance == 20)
    #expect(shop.manager.keptTransactions.isEmpty)
  }
}
