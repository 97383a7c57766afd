/// An auto-renewable subscription in the records of the store: its current plan, and how it continues after the current
/// period.
///
/// `verifyReceipt`, the control API, the console and the device's settings all read this record, so they agree with each
/// other. Values that only one of them adds (the price of the next period for the customer, eligible win-back offers,
/// the date of signing) are not here. Documentation/subscriptions.md lists the fields that are made from it.
public struct RenewalRecord: Hashable, Sendable {
  /// Documentation/subscriptions.md has the states and transitions. The raw values are stored, and are names of APIs.
  public enum State: String, Hashable, Codable, Sendable, CaseIterable {
    /// The current period is paid.
    case active
    /// A renewal could not be charged. The customer keeps access until ``RenewalRecord/gracePeriodEnd``.
    case gracePeriod
    /// A renewal could not be charged. The customer has no access while the store keeps trying until
    /// ``RenewalRecord/retryEnd``.
    case billingRetry
    case expired
    /// The current period was refunded.
    case revoked
  }

  /// Why a subscription expired. The raw values are those of `expirationIntent`.
  public enum ExpirationReason: Int, Hashable, Codable, Sendable {
    /// Automatic renewal was off.
    case cancelled = 1
    case billingError = 2
    /// The customer did not agree to a price increase.
    case priceIncrease = 3
    case productUnavailable = 4
  }

  /// A price increase that was announced to the customer.
  public struct PriceIncrease: Hashable, Codable, Sendable {
    public let price: Price
    public let needsConsent: Bool
    public var isAgreed: Bool

    public init(price: Price, needsConsent: Bool, isAgreed: Bool) {
      self.price = price
      self.needsConsent = needsConsent
      self.isAgreed = isAgreed
    }

    /// Whether the customer must still agree.
    public var isUnanswered: Bool { needsConsent && !isAgreed }
  }

  public let environment: StoreEnvironment
  public let bundleID: BundleID
  public let account: AccountName
  public let groupID: SubscriptionGroupID
  public let originalTransactionID: TransactionID
  /// The transaction of the last charged period.
  public let currentTransactionID: TransactionID

  public let state: State
  public let productID: ProductID
  /// The product of the next period.
  public let renewalProductID: ProductID
  public let isAutoRenewOn: Bool
  /// The price of a renewal of the current plan without an offer.
  public let renewalPrice: Price
  /// An announced price that does not apply yet; nil for none.
  public var priceIncrease: PriceIncrease?
  /// The offer that sets the price of the next period; nil for the regular price.
  public var renewalOffer: SubscriptionOffer?

  public let periodStart: StoreDate
  /// The end of the current or last period, at which the subscription renews or expires.
  public let periodEnd: StoreDate
  /// The date until which the customer has access; in the past if the customer has no access.
  public let accessEnd: StoreDate
  /// The end of the grace period; nil if the subscription is not in one.
  public var gracePeriodEnd: StoreDate?
  /// The end of the billing retry; nil if the store is not trying to charge a renewal.
  public var retryEnd: StoreDate?
  /// The date of the next event that happens automatically: a renewal, an expiration, or the end of a grace period or a
  /// billing retry. Nil if the subscription has ended.
  public var nextEventDate: StoreDate?
  /// Nil if the subscription has not expired.
  public var expirationReason: ExpirationReason?
  /// Grows with each change that the signed renewal info shows, as ``TransactionRecord/revision`` does.
  public var revision: Int64 = 0

  public init(
    environment: StoreEnvironment, bundleID: BundleID, account: AccountName, groupID: SubscriptionGroupID,
    originalTransactionID: TransactionID, currentTransactionID: TransactionID, state: State, productID: ProductID,
    renewalProductID: ProductID, isAutoRenewOn: Bool, renewalPrice: Price, periodStart: StoreDate,
    periodEnd: StoreDate, accessEnd: StoreDate
  ) {
    self.environment = environment
    self.bundleID = bundleID
    self.account = account
    self.groupID = groupID
    self.originalTransactionID = originalTransactionID
    self.currentTransactionID = currentTransactionID
    self.state = state
    self.productID = productID
    self.renewalProductID = renewalProductID
    self.isAutoRenewOn = isAutoRenewOn
    self.renewalPrice = renewalPrice
    self.periodStart = periodStart
    self.periodEnd = periodEnd
    self.accessEnd = accessEnd
  }

  /// The announced price; nil for none.
  public var announcedPrice: Price? { priceIncrease?.price }
  /// Whether the customer must still agree to the announced price. If the customer does not agree, the subscription
  /// expires.
  public var needsPriceConsent: Bool { priceIncrease?.isUnanswered ?? false }
  /// The value of `expirationIntent`; nil if the subscription has not expired.
  public var expirationIntent: Int? { expirationReason?.rawValue }
}
