import StoreModel

/// How an auto-renewable subscription continues after its last period. Signed renewal information contains it, and answers of
/// `verifyReceipt` about app receipts (Apple's "responseBody.Pending_renewal_info").
///
/// This is what another store states, and not the store's own `RenewalRecord`: an answer has no state, amounts, customer
/// or dates but the grace period's, its product may be missing, and its reasons may be numbers that are not known here.
public struct ProvenRenewal: Hashable, Sendable {
  /// The first transaction of the subscription.
  public var originalTransactionID: TransactionID
  /// The transaction of the last period.
  public var lastPeriod: TransactionID
  /// The product of the next period.
  public var productID: ProductID
  /// Whether the subscription renews at the end of the period.
  public var isAutoRenewOn: Bool
  /// Whether a renewal has failed and the store is still trying to charge it. Also true in a grace period.
  public var isInBillingRetry: Bool
  /// The date until which the customer keeps access although the renewal has failed; nil if there is no grace period.
  public var gracePeriodEnd: StoreDate?
  /// Why the subscription has expired or will expire, by Apple's numbers 1 to 5; nil if the answer does not contain it.
  public var expirationIntent: Int64?
  /// Whether the customer has agreed to a price increase: 0 if the customer was asked, 1 if the customer has agreed or needs not agree;
  /// nil if no increase was announced.
  public var priceIncrease: Int64?
  /// When the store stated it; nil if it was at the proof's ``VerifiedProof/statedDate``. Renewal information that the store has
  /// signed separately has a date of its own.
  var statedDate: StoreDate?

  public init(
    originalTransactionID: TransactionID, lastPeriod: TransactionID, productID: ProductID, isAutoRenewOn: Bool,
    isInBillingRetry: Bool = false, gracePeriodEnd: StoreDate? = nil, expirationIntent: Int64? = nil,
    priceIncrease: Int64? = nil
  ) {
    self.originalTransactionID = originalTransactionID
    self.lastPeriod = lastPeriod
    self.productID = productID
    self.isAutoRenewOn = isAutoRenewOn
    self.isInBillingRetry = isInBillingRetry
    self.gracePeriodEnd = gracePeriodEnd
    self.expirationIntent = expirationIntent
    self.priceIncrease = priceIncrease
  }
}
