import Foundation
import SignedData
import StoreModel

/// Data that a test's own store signs, for one app and one device.
enum SampleStore {
  static let authority = IssuingAuthority.shared
  static let bundleID: BundleID = "com.example.monkeys"
  static let vendorIdentifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  static let device = DeviceIdentifier.vendorIdentifier(vendorIdentifier)
  static let otherDevice = "FFFFFFFF-0000-4000-8000-000000000001"
  /// 2024-05-01T10:00:00Z.
  static let date = StoreDate(millisecondsSince1970: 1_714_557_600_000)

  static func record(
    _ number: UInt64 = 7, productID: ProductID = "credits.5", environment: StoreEnvironment = .sandbox
  ) -> TransactionRecord {
    TransactionRecord(
      environment: environment, bundleID: bundleID, transactionID: TransactionID(4_000_000_000 + number),
      originalTransactionID: TransactionID(4_000_000_000 + number), productID: productID, type: .consumable,
      purchaseDate: date, originalPurchaseDate: date, quantity: 3, price: Milliunits(5970), currency: "USD",
      storefrontCountryCode: "USA", storefrontID: "143441", reason: .purchase, appTransactionID: "704000000000000001")
  }

  /// A subscription's renewal, refunded.
  static func subscription() -> TransactionRecord {
    var record = TransactionRecord(
      environment: .sandbox, bundleID: bundleID, transactionID: TransactionID(4_000_000_002),
      originalTransactionID: TransactionID(4_000_000_001), productID: "books.yearly",
      type: .autoRenewableSubscription, purchaseDate: date, originalPurchaseDate: date.adding(seconds: -86_400),
      quantity: 1, price: Milliunits(49_990), currency: "USD", storefrontCountryCode: "USA", storefrontID: "143441",
      reason: .renewal, appTransactionID: "704000000000000001")
    record.expiresDate = date.adding(seconds: 365 * 86_400)
    record.revocationDate = date.adding(seconds: 3600)
    return record
  }

  static func unsignedReceipt(
    _ records: [TransactionRecord] = [record()], environment: StoreEnvironment = .sandbox,
    bundleID: BundleID = bundleID
  ) -> AppReceipt {
    AppReceipt(
      receiptType: AppReceipt.receiptType(for: environment), bundleID: bundleID, applicationVersion: "1.2.3",
      device: device, opaqueValue: Array(100..<116), creationDate: date,
      inAppPurchases: records.map(AppReceipt.InAppPurchase.init(record:)))
  }

  static func receipt(_ records: [TransactionRecord] = [record()]) throws -> Data {
    try authority.signAppReceipt(unsignedReceipt(records), at: date)
  }

  static func legacyReceipt(_ record: TransactionRecord = record()) throws -> Data {
    let receipt = LegacyReceipt(
      record: record, applicationVersion: "1.2.3", vendorIdentifier: vendorIdentifier, appItemID: 0)
    return try authority.signLegacyReceipt(receipt, at: date)
  }

  static func transaction(_ record: TransactionRecord = record()) throws -> String {
    let nonce = UUID()
    return try authority.signTransaction(
      SignedTransaction(
        record: record, signedDate: date, deviceVerification: device.verification(nonce: nonce),
        deviceVerificationNonce: nonce))
  }

  static func payload(_ json: String) throws -> String {
    try authority.signJWS(payload: Array(json.utf8), at: date)
  }
}
