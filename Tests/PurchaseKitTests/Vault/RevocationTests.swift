import Foundation
import Testing

@testable import PurchaseKit

@Suite("Revoked entitlements", .timeLimit(.minutes(30)))
struct RevocationTests {
  private let files = TestVault()

  private func purchase(_ id: String) -> PaidPurchase {
    PaidPurchase(
      transactionIdentifier: id, productIdentifier: TestVault.sepia, quantity: 1, date: TestVault.date)
  }

  @Test(
    "D1 delivered after its revocation: refused if a receipt shows it, kept if no receipt shows that it is valid")
  func givenAfterwards() async throws {
    let entitlements = try files.entitlements(files.open())
    try files.put(receipt: [.init(id: 100, product: TestVault.sepia, cancelled: TestVault.date)])
    try await entitlements.merge(files.reader().receipt())
    await #expect(throws: RefusedPurchase.self) { try await entitlements.deliver(purchase("100")) }
    // An older receipt proves nothing about later changes.
    try files.put(receipt: [.init(id: 100, product: TestVault.sepia)], at: TestVault.date.addingTimeInterval(-1))
    await #expect(throws: ReceiptError.notListed(productIdentifier: TestVault.sepia)) {
      try await entitlements.deliver(purchase("100"))
    }
    try FileManager.default.removeItem(at: files.receipt)
    await #expect(throws: ReceiptError.missing) { try await entitlements.deliver(purchase("100")) }
    #expect(try !entitlements.isEntitled(to: TestVault.sepia))
    try files.put(receipt: [.init(id: 100, product: TestVault.sepia)], at: TestVault.date.addingTimeInterval(1))
    try await entitlements.deliver(purchase("100"))
    #expect(try entitlements.isEntitled(to: TestVault.sepia))
  }

  @Test("D1 revoked by product: a purchase made while the receipt was read is not revoked")
  func boughtMeanwhile() async throws {
    let vault = try files.open()
    let anchors = try TestReceipt.anchors()
    let bought = Entitlement(
      originalTransactionIdentifier: "300", productIdentifier: TestVault.sepia, purchaseDate: TestVault.date)
    let reader = ReceiptReader(
      url: {
        _ = try? vault.update { $0.put(.entitlement(bought)) }
        return nil
      }, anchors: anchors, bundleID: TestVault.bundleID, device: TestVault.device, environments: [.sandbox])
    let entitlements = EntitlementManager(
      vault: vault, receipts: reader, productIdentifiers: [TestVault.sepia], notifications: NotificationCenter())
    try vault.update {
      $0.put(
        .entitlement(
          Entitlement(
            originalTransactionIdentifier: "100", productIdentifier: TestVault.sepia, purchaseDate: TestVault.date)))
    }
    try await entitlements.revoke(productIdentifiers: [TestVault.sepia])
    #expect(
      entitlements.entitlements.filter { $0.revocationDate == nil }.map(\.originalTransactionIdentifier) == ["300"])
  }
}
