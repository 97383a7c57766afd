import Foundation
import StoreModel

@testable import SignedData

/// Transaction records made from a seed.
enum SampleRecords {
  static let bundleID: BundleID = "com.example.monkeys"
  static let vendorIdentifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  static let device = DeviceIdentifier.vendorIdentifier(vendorIdentifier)
  /// 2024-05-01T10:00:00Z.
  static let date = StoreDate(millisecondsSince1970: 1_714_557_600_000)

  /// A consumable without optional fields, bought in the sandbox at ``date``.
  static func credits(
    number: UInt64 = 7, bundleID: BundleID = bundleID, environment: StoreEnvironment = .sandbox,
    at date: StoreDate = date
  ) -> TransactionRecord {
    TransactionRecord(
      environment: environment, bundleID: bundleID, transactionID: TransactionID(4_000_000_000 + number),
      originalTransactionID: TransactionID(4_000_000_000 + number), productID: "credits.5", type: .consumable,
      purchaseDate: date, originalPurchaseDate: date, quantity: 3, price: Milliunits(5970), currency: "USD",
      storefrontCountryCode: "USA", storefrontID: "143441", reason: .purchase, appTransactionID: "704000000000000001")
  }

  /// A refunded subscription in which every optional field is set.
  static func everything() -> TransactionRecord {
    var record = TransactionRecord(
      environment: .sandbox, bundleID: bundleID, transactionID: TransactionID(4_000_000_002),
      originalTransactionID: TransactionID(4_000_000_001), productID: "books.yearly",
      type: .autoRenewableSubscription, purchaseDate: date, originalPurchaseDate: date.adding(seconds: -86_400),
      quantity: 1, price: Milliunits(49_990), currency: "EUR", storefrontCountryCode: "DEU", storefrontID: "143443",
      reason: .renewal, appTransactionID: "704000000000000001")
    record.webOrderLineItemID = "4000000099"
    record.itemID = 1_234_567_890
    record.subscriptionGroupID = "20500001"
    record.expiresDate = date.adding(seconds: 365 * 86_400)
    record.appAccountToken = vendorIdentifier
    record.applicationUsername = "someone"
    record.ownership = .familyShared
    record.revocationDate = date.adding(seconds: 3600)
    record.revocationReason = .issueWithApp
    record.revocationType = .proratedRefund
    record.revocationPercentage = 12_500
    record.isUpgraded = true
    record.offerType = .promotional
    record.offerIdentifier = "spring \"sale\" \u{1F412}\n"
    record.offerDiscountType = .payAsYouGo
    record.offerPeriod = CalendarPeriod(value: 3, unit: .month)
    record.billingPlanType = .monthly
    record.commitment = TransactionRecord.Commitment(
      billingPeriodNumber: 2, totalBillingPeriods: 12, expiresDate: date.adding(seconds: 300 * 86_400),
      price: Milliunits(599_880))
    record.previousOriginalTransactionID = TransactionID(3_999_999_999)
    record.advancedCommerceInfo = #"{"items":[{"SKU":"a","price":1990}],"taxCode":"C003"}"#
    return record
  }

  /// An app receipt that lists `records`, issued to ``device``.
  static func receipt(
    listing records: [TransactionRecord], bundleID: BundleID = bundleID, environment: StoreEnvironment = .sandbox,
    device: DeviceIdentifier = device, at date: StoreDate = date
  ) -> AppReceipt {
    var receipt = AppReceipt(
      receiptType: AppReceipt.receiptType(for: environment), bundleID: bundleID, applicationVersion: "1.2.3",
      device: device, opaqueValue: Array(100..<116), creationDate: date,
      inAppPurchases: records.map(AppReceipt.InAppPurchase.init(record:)))
    receipt.appItemID = 0
    receipt.requestDate = date
    receipt.toolVersion = 0x5032_3535
    receipt.ageRating = "4+"
    receipt.developerID = 0
    receipt.downloadID = 0
    receipt.versionExternalIdentifier = 0
    receipt.originalPurchaseDate = StoreDate(millisecondsSince1970: 1_375_340_400_000)
    receipt.originalApplicationVersion = "1.0"
    receipt.unknownAttributes = [AppReceipt.Attribute(type: 6, value: [1, 2, 3]), .init(type: 25, value: [2, 1, 3])]
    return receipt
  }

  static func legacyReceipt(_ record: TransactionRecord, vendorIdentifier: UUID? = vendorIdentifier) -> LegacyReceipt {
    LegacyReceipt(
      record: record, applicationVersion: "1.2.3", vendorIdentifier: vendorIdentifier, appItemID: 123_456_789)
  }
}
