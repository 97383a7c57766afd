import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

@Suite("Frozen credits are not sold", .timeLimit(.minutes(30)))
struct FrozenCreditTests {
  /// Returns a vault whose file was lost when it had 11 credits.
  private func frozen(_ files: TestVault) async throws -> PurchaseVault {
    try await files.fill()
    try FileManager.default.removeItem(at: files.file)
    return try files.open()
  }

  @Test("A7 F1 the button is disabled and shows the reason, nothing is charged, and it can be bought after a reset")
  func withheld() async throws {
    let files = TestVault()
    let vault = try await frozen(files)
    let shop = try await TestShop(creditStore: VaultCreditStore(vault))
    shop.manager.start()
    let product = try await shop.product(TestShop.five)
    let button = shop.manager.purchaseButton(for: TestShop.five)
    #expect(button == .withheld("Credits are frozen because their file is missing"))
    #expect(!button.isEnabled && button.title == "Credits are frozen because their file is missing")
    let refusal = InAppPurchaseError.cannotBeGiven(
      productIdentifier: TestShop.five, reason: "Credits are frozen because their file is missing")
    #expect(throws: refusal) { try shop.manager.purchaseProduct(product) }
    await #expect(throws: refusal) { try await shop.manager.purchase(product) }
    #expect(shop.device.paymentQueue.transactions.isEmpty)

    // A purchase that began in the App Store cannot be resumed either. It stays pending.
    let pending = NotificationLog(shop.notifications, .InAppPurchaseManagerStorePaymentPendingNotification)
    try await shop.store.beginPromotedPurchase(of: ProductID(TestShop.five), on: shop.device.installationID)
    let payment = try #require(await pending.next()?.payment)
    #expect(throws: refusal) { try shop.manager.resumeStorePayment(payment) }
    #expect(try await shop.store.charges().isEmpty)

    try vault.resetCredits(accepting: vault.creditsAtRisk)
    #expect(shop.manager.purchaseButton(for: TestShop.five).isEnabled)
    try await shop.manager.purchase(product)
    #expect(try shop.credits.balance == 5)
  }

  @Test("A7 B4 a purchase that was paid before the credits were frozen waits in the queue, and is delivered afterwards")
  func paidBefore() async throws {
    let files = TestVault()
    let vault = try await frozen(files)
    let shop = try await TestShop(creditStore: VaultCreditStore(vault))
    let kept = NotificationLog(shop.notifications, .InAppPurchaseManagerTransactionKeptNotification)
    shop.manager.start()
    _ = try await shop.product(TestShop.five)
    _ = try await shop.store.purchase(
      ProductID(TestShop.five), of: TestShop.bundleID, for: "customer", in: .sandbox,
      installationID: shop.device.installationID)
    #expect(await kept.next()?.transaction?.productIdentifier == TestShop.five)
    try vault.resetCredits(accepting: vault.creditsAtRisk)
    await shop.manager.deliverKept()
    #expect(try shop.credits.balance == 5)
  }
}
