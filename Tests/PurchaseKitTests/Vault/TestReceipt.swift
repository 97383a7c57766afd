import Foundation
import PurchaseKit
import SignedData
import StoreModel

/// App receipts that are signed as the store signs them.
enum TestReceipt {
  struct Purchase {
    var id: UInt64
    var original: UInt64?
    var product: String
    /// The date of the purchase, in seconds after the usual one.
    var later = 0.0
    var type = ProductType.nonConsumable
    var expires: Date?
    var cancelled: Date?
  }

  static func signed(
    _ purchases: [Purchase], at date: Date = TestVault.date, device: DeviceIdentifier = TestVault.device,
    bundleID: BundleID = TestVault.bundleID, by authority: IssuingAuthority = .shared
  ) throws -> Data {
    let date = StoreDate(date)
    let bought = StoreDate(TestVault.date.addingTimeInterval(-86_400))
    let listed = purchases.map { purchase in
      var record = TransactionRecord(
        environment: .sandbox, bundleID: bundleID, transactionID: TransactionID(purchase.id),
        originalTransactionID: TransactionID(purchase.original ?? purchase.id), productID: ProductID(purchase.product),
        type: purchase.type, purchaseDate: StoreDate(TestVault.date.addingTimeInterval(purchase.later - 86_400)),
        originalPurchaseDate: bought, quantity: 1, price: Milliunits(990),
        currency: "USD", storefrontCountryCode: "USA", storefrontID: "143441", reason: .purchase,
        appTransactionID: "704000000000000001")
      record.expiresDate = purchase.expires.map(StoreDate.init)
      record.revocationDate = purchase.cancelled.map(StoreDate.init)
      return AppReceipt.InAppPurchase(record: record)
    }
    let receipt = AppReceipt(
      receiptType: AppReceipt.receiptType(for: .sandbox), bundleID: bundleID, applicationVersion: "1", device: device,
      opaqueValue: Array(0..<16), creationDate: date, inAppPurchases: listed)
    return try authority.signAppReceipt(receipt, at: date)
  }

  static func anchors() throws -> TrustAnchors { try IssuingAuthority.shared.anchors }
}

extension TestVault {
  static let sepia = "com.example.vault.sepia"
  static let noir = "com.example.vault.noir"
  static let magazine = "com.example.vault.magazine"

  func put(receipt purchases: [TestReceipt.Purchase], at date: Date = TestVault.date) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try TestReceipt.signed(purchases, at: date).write(to: receipt)
  }

  func reader(_ device: DeviceIdentifier = TestVault.device) throws -> ReceiptReader {
    let (url, anchors) = (receipt, try TestReceipt.anchors())
    return ReceiptReader(
      url: { url }, anchors: anchors, bundleID: Self.bundleID, device: device, environments: [.sandbox])
  }

  func entitlements(
    _ vault: PurchaseVault, notifications: NotificationCenter = NotificationCenter()
  ) throws
    -> EntitlementManager
  {
    EntitlementManager(
      vault: vault, receipts: try reader(), productIdentifiers: [Self.sepia, Self.noir],
      subscriptionIdentifiers: [Self.magazine], notifications: notifications)
  }

  /// Fills the vault. Two grants and a spend leave 11 credits. Sepia is owned and noir was refunded, also in the receipt.
  func fill() async throws {
    try put(receipt: [
      .init(id: 100, product: Self.sepia), .init(id: 200, product: Self.noir, cancelled: Self.date),
    ])
    let vault = try open()
    _ = try vault.credits.grant(5, for: "1", productIdentifier: "five", date: Self.date)
    _ = try vault.credits.grant(10, for: "2", productIdentifier: "ten", date: Self.date)
    _ = try vault.credits.spend(4, key: Self.spendKey, date: Self.date)
    try await entitlements(vault).merge(reader().receipt())
    try vault.close()
  }

  static let spendKey = UUID(uuid: (7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7))
}
