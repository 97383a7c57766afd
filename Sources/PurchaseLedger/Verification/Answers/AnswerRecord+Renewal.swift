import StoreModel

extension AnswerRecord {
  /// Reads an element of `pending_renewal_info` ("responseBody.Pending_renewal_info").
  ///
  /// - Parameter periods: the last period of each subscription in the answer.
  /// - Returns: the renewal, and whether the element is about the product of the last period; nil if the answer has no
  ///   period of the subscription.
  func renewal(
    after periods: LastPeriods
  ) throws(AnswerFault) -> (renewal: ProvenRenewal, isOfLastProduct: Bool)? {
    let product = try text("product_id").map { ProductID($0) }
    // Old answers identify the subscription only by its product.
    let last =
      if let original = try transactionID("original_transaction_id") {
        periods.ofOriginal[original]
      } else {
        product.flatMap { periods.ofProduct[$0] }
      }
    guard let last else { return nil }
    let renewal = ProvenRenewal(
      originalTransactionID: last.originalTransactionID, lastPeriod: last.transactionID,
      productID: try text("auto_renew_product_id").map { ProductID($0) } ?? last.productID,
      isAutoRenewOn: try flag("auto_renew_status") ?? false,
      isInBillingRetry: try flag("is_in_billing_retry_period") ?? false,
      gracePeriodEnd: try date("grace_period_expires_date_ms"),
      expirationIntent: try number("expiration_intent", in: 0...Int64(Int32.max)), priceIncrease: try priceIncrease)
    return (renewal, product == nil || product == last.productID)
  }

  /// Answers of before 2023 only have `price_consent_status`, if the customer has to agree. Unknown values count as missing.
  private var priceIncrease: Int64? {
    get throws(AnswerFault) {
      let range = 0...Int64(Int32.max)
      let stated = try number("price_increase_status", in: range)
      let status = if let stated { stated } else { try number("price_consent_status", in: range) }
      guard let status, status <= 1 else { return nil }
      return status
    }
  }
}

/// The last period of each subscription in an answer.
struct LastPeriods {
  private(set) var ofOriginal: [TransactionID: ProvenPurchase] = [:]
  private(set) var ofProduct: [ProductID: ProvenPurchase] = [:]

  init(of purchases: [ProvenPurchase]) {
    for purchase in purchases where purchase.expiresDate != nil {
      ofOriginal.merge([purchase.originalTransactionID: purchase], uniquingKeysWith: Self.later)
      ofProduct.merge([purchase.productID: purchase], uniquingKeysWith: Self.later)
    }
  }

  private static func later(_ first: ProvenPurchase, _ second: ProvenPurchase) -> ProvenPurchase {
    (first.purchaseDate, first.expiresDate ?? first.purchaseDate)
      < (second.purchaseDate, second.expiresDate ?? second.purchaseDate) ? second : first
  }
}
