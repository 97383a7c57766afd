import Foundation
import StoreModel

extension LegacyReceipt {
  /// Makes a legacy receipt from a stored transaction, for signing.
  ///
  /// - Parameters:
  ///   - record: the stored transaction.
  ///   - applicationVersion: the app's version, `bvrs`.
  ///   - vendorIdentifier: the vendor identifier of the installation that bought the product.
  ///   - appItemID: the App Store's number of the app; written for production only, where it must not be 0.
  ///   - versionExternalIdentifier: the App Store's number of the app's version; written for production only.
  ///   - uniqueIdentifier: the identifier of the device, 40 hexadecimal digits; nil to omit it.
  public init(
    record: TransactionRecord, applicationVersion: String, vendorIdentifier: UUID?, appItemID: Int64,
    versionExternalIdentifier: Int64 = 1, uniqueIdentifier: String? = nil
  ) {
    var fields: [Field] = []
    func add(_ key: String, _ value: String?) {
      if let value { fields.append(Field(key: key, value: value)) }
    }
    func addDates(_ key: String, _ date: StoreDate) {
      add(key, Self.text(date))
      add(key + "-ms", String(date.millisecondsSince1970))
      add(key + "-pst", Self.pacificText(date))
    }
    addDates("original-purchase-date", record.originalPurchaseDate)
    addDates("purchase-date", record.purchaseDate)
    add("transaction-id", record.transactionID.rawValue)
    add("original-transaction-id", record.originalTransactionID.rawValue)
    add("product-id", record.productID.rawValue)
    add("quantity", String(record.quantity))
    add("item-id", String(record.itemID))
    add("bid", record.bundleID.rawValue)
    add("bvrs", applicationVersion)
    add("unique-identifier", uniqueIdentifier)
    add("unique-vendor-identifier", vendorIdentifier?.uuidString)
    if record.environment == .production {
      add("app-item-id", String(appItemID))
      add("version-external-identifier", String(versionExternalIdentifier))
    }
    if let expires = record.expiresDate {
      add("expires-date", String(expires.millisecondsSince1970))
      add("expires-date-formatted", Self.text(expires))
      add("expires-date-formatted-pst", Self.pacificText(expires))
      add("web-order-line-item-id", record.webOrderLineItemID)
      add("is-trial-period", record.offerDiscountType == .freeTrial ? "true" : "false")
      let isIntroductory = record.offerType == .introductory && record.offerDiscountType != .freeTrial
      add("is-in-intro-offer-period", isIntroductory ? "true" : "false")
      add("subscription-group-identifier", record.subscriptionGroupID?.rawValue)
      add("in-app-ownership-type", record.ownership.rawValue)
    }
    self.init(
      fields: fields, transactionID: record.transactionID, originalTransactionID: record.originalTransactionID,
      productID: record.productID, bundleID: record.bundleID, purchaseDate: record.purchaseDate,
      originalPurchaseDate: record.originalPurchaseDate, quantity: record.quantity, expiresDate: record.expiresDate)
  }

  private init(
    fields: [Field], transactionID: TransactionID, originalTransactionID: TransactionID, productID: ProductID,
    bundleID: BundleID, purchaseDate: StoreDate, originalPurchaseDate: StoreDate, quantity: Int,
    expiresDate: StoreDate?
  ) {
    self.fields = fields
    self.transactionID = transactionID
    self.originalTransactionID = originalTransactionID
    self.productID = productID
    self.bundleID = bundleID
    self.purchaseDate = purchaseDate
    self.originalPurchaseDate = originalPurchaseDate
    self.quantity = quantity
    self.expiresDate = expiresDate
  }

  private static func text(_ date: StoreDate) -> String {
    RFC3339.text(date).replacingOccurrences(of: "T", with: " ").dropLast() + " Etc/GMT"
  }

  private static func pacificText(_ date: StoreDate) -> String {
    let zone = TimeZone(identifier: "America/Los_Angeles")
    // If the machine has no time zone data, the offset is that of Pacific Standard Time.
    let offset = zone?.secondsFromGMT(for: date.date) ?? -8 * 3600
    let local = RFC3339.text(date.adding(seconds: Int64(offset)))
    return local.replacingOccurrences(of: "T", with: " ").dropLast() + " America/Los_Angeles"
  }
}
