import SignedData
import StoreModel

/// An element of `in_app` or `latest_receipt_info`. Every value is a string; values that do not apply are omitted.
/// Implements Apple's "responseBody.Receipt.In_app" and "responseBody.Latest_receipt_info".
enum InAppFields {
  /// The fields of a transaction in the store's records.
  static func fields(of record: TransactionRecord) -> [String: String] {
    var fields = common(
      quantity: record.quantity, product: record.productID, transaction: record.transactionID,
      original: record.originalTransactionID, purchased: record.purchaseDate,
      originallyPurchased: record.originalPurchaseDate, expires: record.expiresDate)
    fields.merge(cancellation(of: record)) { $1 }
    fields["in_app_ownership_type"] = record.ownership.rawValue
    fields["is_trial_period"] = text(record.offerDiscountType == .freeTrial)
    fields["web_order_line_item_id"] = record.webOrderLineItemID
    if record.type == .autoRenewableSubscription {
      // A free trial is reported as a trial, not as an introductory price, as in receipts.
      fields["is_in_intro_offer_period"] = text(
        record.offerType == .introductory && record.offerDiscountType != .freeTrial)
    }
    switch record.offerType {
    case .promotional, .winBack: fields["promotional_offer_id"] = record.offerIdentifier
    case .offerCode: fields["offer_code_ref_name"] = record.offerIdentifier
    case .introductory, nil: break
    }
    return fields
  }

  /// The fields of an element of `latest_receipt_info`.
  static func latestFields(of record: TransactionRecord) -> [String: String] {
    var fields = fields(of: record)
    fields["subscription_group_identifier"] = record.subscriptionGroupID?.rawValue
    if record.isUpgraded { fields["is_upgraded"] = "true" }
    fields["app_account_token"] = record.appAccountToken?.uuidString.lowercased()
    return fields
  }

  /// The fields of a transaction that is only in the receipt. Receipts contain neither the ownership type nor the name
  /// of an offer code.
  static func fields(of purchase: AppReceipt.InAppPurchase) -> [String: String] {
    var fields = common(
      quantity: Int(clamping: purchase.quantity), product: purchase.productID, transaction: purchase.transactionID,
      original: purchase.originalTransactionID, purchased: purchase.purchaseDate,
      originallyPurchased: purchase.originalPurchaseDate, expires: purchase.expiresDate)
    if let date = purchase.cancellationDate {
      fields.merge(cancellation(date, reason: .other)) { $1 }
    }
    fields["is_trial_period"] = text(purchase.isTrialPeriod == true)
    fields["web_order_line_item_id"] = purchase.webOrderLineItemID.flatMap { $0 == 0 ? nil : String($0) }
    if purchase.productType == .autoRenewableSubscription {
      fields["is_in_intro_offer_period"] = text(purchase.isInIntroductoryOfferPeriod == true)
    }
    fields["promotional_offer_id"] = purchase.promotionalOfferID
    return fields
  }

  /// `cancellation_date` and `cancellation_reason`; empty if the transaction was neither revoked nor upgraded.
  static func cancellation(of record: TransactionRecord) -> [String: String] {
    record.cancellationDate.map { cancellation($0, reason: record.revocationReason ?? .other) } ?? [:]
  }

  private static func cancellation(_ date: StoreDate, reason: RevocationReason) -> [String: String] {
    var fields = ["cancellation_reason": String(reason.rawValue)]
    add("cancellation_date", date, to: &fields)
    return fields
  }

  private static func common(
    quantity: Int, product: ProductID, transaction: TransactionID, original: TransactionID, purchased: StoreDate,
    originallyPurchased: StoreDate, expires: StoreDate?
  ) -> [String: String] {
    var fields = [
      "quantity": String(quantity), "product_id": product.rawValue, "transaction_id": transaction.rawValue,
      "original_transaction_id": original.rawValue,
    ]
    add("purchase_date", purchased, to: &fields)
    add("original_purchase_date", originallyPurchased, to: &fields)
    if let expires { add("expires_date", expires, to: &fields) }
    return fields
  }

  private static func add(_ name: String, _ date: StoreDate, to fields: inout [String: String]) {
    for (key, value) in DateTrio(date: date).fields(name) { fields[key] = value }
  }

  private static func text(_ flag: Bool) -> String { flag ? "true" : "false" }
}
