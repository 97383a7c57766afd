import StoreModel

extension AnswerRecord {
  /// A purchase ("responseBody.Latest_receipt_info", "responseBody.Receipt.In_app"; for legacy receipts the flat record).
  ///
  /// How much of a refunded purchase was given back no answer says.
  ///
  /// - Parameter expires: which field has the end of a subscription, in milliseconds: `expires_date_ms`, in a legacy
  ///   record `expires_date`.
  func purchase(expires: String) throws(AnswerFault) -> ProvenPurchase {
    let id = try required(transactionID("transaction_id"), "transaction_id")
    let purchased = try required(date("purchase_date_ms"), "purchase_date_ms")
    var purchase = ProvenPurchase(
      transactionID: id,
      originalTransactionID: try transactionID("original_transaction_id"),
      productID: ProductID(try required(text("product_id"), "product_id")),
      quantity: Int(try number("quantity", in: ProvenPurchase.quantities) ?? 1),
      purchaseDate: purchased,
      originalPurchaseDate: try date("original_purchase_date_ms"),
      expiresDate: try date(expires),
      // A word that is not known here is a way of owning it all the same.
      ownership: try text("in_app_ownership_type").flatMap(OwnershipType.init(rawValue:)) ?? .purchased,
      appAccountToken: try uuid("app_account_token"))
    guard let cancelled = try date("cancellation_date_ms") else { return purchase }
    if try flag("is_upgraded") == true {
      // Not taken back: a higher plan of the same subscription took its place at this instant.
      purchase.expiresDate = min(cancelled, purchase.expiresDate ?? cancelled)
    } else {
      purchase.revocation = ProvenPurchase.Revocation(
        date: cancelled, reason: try number("cancellation_reason", in: 0...Int64(Int32.max)))
    }
    return purchase
  }
}

extension ProvenPurchase {
  /// What a quantity may be.
  static let quantities: ClosedRange<Int64> = 1...Int64(Int32.max)
}
