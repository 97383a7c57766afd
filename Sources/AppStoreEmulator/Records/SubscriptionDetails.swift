import StoreModel

/// A customer's subscription, as the operator sees it.
public struct SubscriptionDetails: Hashable, Sendable {
  /// The state, by its name in the control API. Documentation/subscriptions.md describes the states.
  public enum State: String, Hashable, Codable, Sendable, CaseIterable {
    case active, gracePeriod, billingRetry, expired, revoked
  }

  /// A step of the history.
  public struct Step: Hashable, Sendable {
    public let step: SubscriptionStep
    public let date: StoreDate
  }

  public let originalTransactionID: TransactionID
  /// The transaction of the last charged period.
  public let currentTransactionID: TransactionID
  public let environment: StoreEnvironment
  public let bundleID: BundleID
  public let account: AccountName
  public let groupID: SubscriptionGroupID
  public let state: State
  public let productID: ProductID
  /// The product of the next period.
  public let renewalProductID: ProductID
  public let isAutoRenewOn: Bool
  /// The price of the next period without an offer.
  public let renewalPrice: Price
  /// An announced price that does not apply yet; nil for none.
  public let announcedPrice: Price?
  /// Whether the customer must still agree to the announced price. If the customer does not agree, the subscription
  /// expires.
  public let needsPriceConsent: Bool
  /// The offer that sets the price of the next period; nil for the regular price.
  public let renewalOffer: SubscriptionOffer?
  public let periodStart: StoreDate
  /// The end of the current or last period, at which the subscription renews or expires.
  public let periodEnd: StoreDate
  /// The date until which the customer has access; in the past if the customer has no access.
  public let accessEnd: StoreDate
  /// The end of the billing retry; nil if the store is not trying to charge a renewal.
  public let retryEnd: StoreDate?
  /// The date of the next event that happens automatically: a renewal, an expiration, or the end of a grace period or a
  /// billing retry. Nil if the subscription has ended.
  public let nextEventDate: StoreDate?
  /// The value of `expirationIntent`; nil if the subscription has not expired.
  public let expirationIntent: Int?
}

extension SubscriptionDetails {
  init(_ row: SubscriptionRow) {
    let state = row.state
    (originalTransactionID, currentTransactionID) = (row.originalTransactionID, row.currentTransactionID)
    (environment, bundleID, account, groupID) = (row.environment, row.bundleID, row.account, row.groupID)
    self.state =
      switch state.state {
      case .active: .active
      case .gracePeriod: .gracePeriod
      case .billingRetry: .billingRetry
      case .expired: .expired
      case .revoked: .revoked
      }
    (productID, renewalProductID, isAutoRenewOn) = (state.productID, state.renewalProductID, state.isAutoRenewOn)
    (renewalPrice, periodStart, periodEnd) = (state.renewalPrice, state.period.start, state.period.end)
    announcedPrice = state.priceIncrease?.price
    needsPriceConsent = state.priceIncrease?.isUnanswered ?? false
    renewalOffer = state.isAutoRenewOn ? state.offerOfNextPeriod?.offer : nil
    (accessEnd, retryEnd) = (state.accessEnd, state.retryEnd)
    nextEventDate = row.dueDate
    expirationIntent = state.expirationReason?.rawValue
  }
}
