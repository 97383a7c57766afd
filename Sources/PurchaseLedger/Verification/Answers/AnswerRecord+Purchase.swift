import StoreModel

extension AnswerRecord {
  /// Reads a purchase ("responseBody.Latest_receipt_info", "responseBody.Receipt.In_app"; for legacy receipts the flat record).
  ///
  /// Answers do not contain the percentage of a refund.
  ///
  /// - Parameter expires: the name of the field with a subscription's end in milliseconds: `expires_date_ms`, for a legacy
  ///   receipt `expires_date`.
  func purchase(expires: String) throws(AnswerFault) -> ProvenPurchase {
    let id = try required(transactionID("transaction_id"), "transaction_id")
    let purchased = try required(date("purchase_date_ms"), "purchase_date_ms")
    let quantity = try number("quantity", in: ProvenPurchase.quantities)
    var purchase = ProvenPurchase(
      transactionID: id,
      originalTransactionID: try transactionID("original_transaction_id"),
      productID: ProductID(try required(text("product_id"), "product_id")),
      quantity: Int(quantity ?? 1),
      purchaseDate: purchased,
      originalPurchaseDate: try date("original_purchase_date_ms"),
      expiresDate: try date(expires),
      // An unknown ownership type counts as a missing one.
      ownership: try text("in_app_ownership_type").flatMap(OwnershipType.init(rawValue:)),
      appAccountToken: try uuid("app_account_token"))
    purchase.statesQuantity = quantity != nil
    guard let cancelled = try date("cancellation_date_ms") else { return purchase }
    if try flag("is_upgraded") == true {
      // This is not a refund: the customer upgraded to another plan of the subscription at this date.
      purchase.expiresDate = min(cancelled, purchase.expiresDate ?? cancelled)
      purchase.replacedDate = cancelled
      purchase.isUpgraded = true
    } else {
      purchase.revocation = ProvenPurchase.Revocation(
        date: cancelled, reason: try number("cancellation_reason", in: 0...Int64(Int32.max)))
    }
    return purchase
  }
}

extension ProvenPurchase {
  /// The valid quantities.
  static let quantities: ClosedRange<Int64> = 1...Int64(Int32.max)
}
