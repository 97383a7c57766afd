import SignedData
import StoreModel

/// Writes the elements of `in_app` and `latest_receipt_info`. Every value is a string; values that do not apply are omitted.
/// Implements Apple's "responseBody.Receipt.In_app" and "responseBody.Latest_receipt_info".
struct InAppFields {
  private var dates = DateTrioCache()

  /// Passes the fields of a transaction in the store's records to `put`.
  mutating func write(_ record: TransactionRecord, _ put: (StaticString, String) -> Void) {
    writeCommon(
      quantity: record.quantity, product: record.productID, transaction: record.transactionID,
      original: record.originalTransactionID, purchased: record.purchaseDate,
      originallyPurchased: record.originalPurchaseDate, expires: record.expiresDate, put)
    if let date = record.cancellationDate {
      writeCancellation(date, reason: record.revocationReason ?? .other, put)
    }
    put("in_app_ownership_type", record.ownership.rawValue)
    put("is_trial_period", Self.text(record.offerDiscountType == .freeTrial))
    if let id = record.webOrderLineItemID { put("web_order_line_item_id", id) }
    if record.type == .autoRenewableSubscription {
      // A free trial is reported as a trial, not as an introductory price, as in receipts.
      let isIntroductory = record.offerType == .introductory && record.offerDiscountType != .freeTrial
      put("is_in_intro_offer_period", Self.text(isIntroductory))
    }
    guard let identifier = record.offerIdentifier else { return }
    switch record.offerType {
    case .promotional, .winBack: put("promotional_offer_id", identifier)
    case .offerCode: put("offer_code_ref_name", identifier)
    case .introductory, nil: break
    }
  }

  /// Passes the fields to `put` that only elements of `latest_receipt_info` have.
  static func writeLatest(_ record: TransactionRecord, _ put: (StaticString, String) -> Void) {
    if let group = record.subscriptionGroupID { put("subscription_group_identifier", group.rawValue) }
    if record.isUpgraded { put("is_upgraded", "true") }
    if let token = record.appAccountToken { put("app_account_token", token.uuidString.lowercased()) }
  }

  /// Passes the fields of a transaction that is only in the receipt to `put`. Receipts contain neither the ownership type nor the
  /// name of an offer code.
  mutating func write(_ purchase: AppReceipt.InAppPurchase, _ put: (StaticString, String) -> Void) {
    writeCommon(
      quantity: Int(clamping: purchase.quantity), product: purchase.productID, transaction: purchase.transactionID,
      original: purchase.originalTransactionID, purchased: purchase.purchaseDate,
      originallyPurchased: purchase.originalPurchaseDate, expires: purchase.expiresDate, put)
    if let date = purchase.cancellationDate { writeCancellation(date, reason: .other, put) }
    put("is_trial_period", Self.text(purchase.isTrialPeriod == true))
    if let id = purchase.webOrderLineItemID, id != 0 { put("web_order_line_item_id", String(id)) }
    if purchase.productType == .autoRenewableSubscription {
      put("is_in_intro_offer_period", Self.text(purchase.isInIntroductoryOfferPeriod == true))
    }
    if let id = purchase.promotionalOfferID { put("promotional_offer_id", id) }
  }

  /// `cancellation_date` and `cancellation_reason`; empty if the transaction was neither revoked nor upgraded.
  static func cancellation(of record: TransactionRecord) -> [String: String] {
    guard let date = record.cancellationDate else { return [:] }
    var fields: [String: String] = [:]
    var writer = InAppFields()
    writer.writeCancellation(date, reason: record.revocationReason ?? .other) { fields["\($0)"] = $1 }
    return fields
  }

  private mutating func writeCancellation(
    _ date: StoreDate, reason: RevocationReason, _ put: (StaticString, String) -> Void
  ) {
    put("cancellation_reason", String(reason.rawValue))
    dates.trio(date).put(.cancellation, put)
  }

  private mutating func writeCommon(
    quantity: Int, product: ProductID, transaction: TransactionID, original: TransactionID, purchased: StoreDate,
    originallyPurchased: StoreDate, expires: StoreDate?, _ put: (StaticString, String) -> Void
  ) {
    put("quantity", String(quantity))
    put("product_id", product.rawValue)
    put("transaction_id", transaction.rawValue)
    put("original_transaction_id", original.rawValue)
    dates.trio(purchased).put(.purchase, put)
    dates.trio(originallyPurchased).put(.originalPurchase, put)
    if let expires { dates.trio(expires).put(.expires, put) }
  }

  private static func text(_ flag: Bool) -> String { flag ? "true" : "false" }
}
