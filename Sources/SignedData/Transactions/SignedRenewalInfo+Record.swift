import StoreModel

extension SignedRenewalInfo {
  /// Makes renewal information from a stored subscription.
  ///
  /// It sets what the record contains. The caller sets the other members: the customer's eligible win-back offers, the
  /// start of the latest run, and what belongs to the current transaction (`appTransactionID`, `appAccountToken`).
  ///
  /// - Parameters:
  ///   - record: the stored subscription.
  ///   - nextPrice: the price that the customer will pay for the next period. It is used only while renewal is on.
  ///   - signedDate: the date of signing.
  public init(record: RenewalRecord, nextPrice: Price?, signedDate: StoreDate) {
    self.init(
      originalTransactionID: record.originalTransactionID, productID: record.productID, signedDate: signedDate)
    rawEnvironment = record.environment.rawValue
    autoRenewProductID = record.renewalProductID
    rawAutoRenewStatus = record.isAutoRenewOn ? 1 : 0
    renewalDate = record.periodEnd
    if record.isAutoRenewOn, let nextPrice {
      renewalPrice = nextPrice.amount
      currency = nextPrice.currency
    }
    switch record.state {
    case .gracePeriod, .billingRetry: isInBillingRetryPeriod = true
    case .expired: isInBillingRetryPeriod = false
    case .active, .revoked: break
    }
    gracePeriodExpiresDate = record.gracePeriodEnd
    rawExpirationIntent = record.expirationIntent.map(Int64.init)
    rawPriceIncreaseStatus = record.priceIncrease.map { $0.isUnanswered ? 0 : 1 }
    guard record.isAutoRenewOn, let offer = record.renewalOffer else { return }
    rawOfferType = Int64(TransactionOfferType(offer.kind).rawValue)
    offerIdentifier = offer.identifier
    rawOfferDiscountType = OfferDiscountType(offer.paymentMode).rawValue
    rawOfferPeriod = offer.period.iso8601
  }
}
