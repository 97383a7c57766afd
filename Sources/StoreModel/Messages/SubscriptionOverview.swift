/// The subscriptions of the customer who is signed in on an installation, in the installation's app.
public struct SubscriptionOverview: Hashable, Codable, Sendable {
  /// The current date of the store's clock.
  public let date: StoreDate
  /// In the order in which they began. At most one for each subscription group.
  public let subscriptions: [SubscriptionSummary]

  public init(date: StoreDate, subscriptions: [SubscriptionSummary]) {
    self.date = date
    self.subscriptions = subscriptions
  }
}

/// A subscription, as its customer sees it in the device's settings. Made from the store's ``RenewalRecord``.
public struct SubscriptionSummary: Hashable, Codable, Sendable {
  /// A win-back offer, with which the customer can subscribe again.
  public struct WinBack: Hashable, Codable, Sendable {
    public let productID: ProductID
    public let offer: SubscriptionOffer

    public init(productID: ProductID, offer: SubscriptionOffer) {
      self.productID = productID
      self.offer = offer
    }
  }

  public let originalTransactionID: TransactionID
  public let groupID: SubscriptionGroupID
  public let state: RenewalRecord.State
  public let productID: ProductID
  /// The product of the next period.
  public let renewalProductID: ProductID
  public let isAutoRenewOn: Bool
  /// The price of the next period.
  public let renewalPrice: Price
  /// A price that was announced and that the customer must still agree to; nil for none.
  public let priceToAgree: Price?
  /// The end of the current or last period, at which the subscription renews or expires.
  public let renewalDate: StoreDate
  /// The date until which the customer has access. In a grace period it is later than ``renewalDate``.
  public let accessEnd: StoreDate
  public let winBackOffers: [WinBack]

  /// - Parameter nextPrice: the price of the next period, with its offer; nil if the product is not on sale.
  public init(_ record: RenewalRecord, nextPrice: Price?, winBackOffers: [WinBack]) {
    originalTransactionID = record.originalTransactionID
    groupID = record.groupID
    state = record.state
    productID = record.productID
    renewalProductID = record.renewalProductID
    isAutoRenewOn = record.isAutoRenewOn
    renewalPrice = nextPrice ?? record.renewalPrice
    priceToAgree = record.needsPriceConsent ? record.announcedPrice : nil
    renewalDate = record.periodEnd
    accessEnd = record.accessEnd
    self.winBackOffers = winBackOffers
  }

  public var hasAccess: Bool { state == .active || state == .gracePeriod }
}

/// A change that a customer makes to a subscription in the device's settings.
public enum SubscriptionSetting: Hashable, Codable, Sendable {
  case autoRenew(isOn: Bool)
  case priceIncrease(isAgreed: Bool)
}
