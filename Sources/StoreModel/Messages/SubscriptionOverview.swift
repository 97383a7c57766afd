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

/// A subscription, as its customer sees it in the device's settings.
public struct SubscriptionSummary: Hashable, Codable, Sendable {
  public enum State: String, Hashable, Codable, Sendable, CaseIterable {
    case active, gracePeriod, billingRetry, expired, revoked
  }

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
  public let state: State
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

  public init(
    originalTransactionID: TransactionID, groupID: SubscriptionGroupID, state: State, productID: ProductID,
    renewalProductID: ProductID, isAutoRenewOn: Bool, renewalPrice: Price, priceToAgree: Price? = nil,
    renewalDate: StoreDate, accessEnd: StoreDate, winBackOffers: [WinBack] = []
  ) {
    self.originalTransactionID = originalTransactionID
    self.groupID = groupID
    self.state = state
    self.productID = productID
    self.renewalProductID = renewalProductID
    self.isAutoRenewOn = isAutoRenewOn
    self.renewalPrice = renewalPrice
    self.priceToAgree = priceToAgree
    self.renewalDate = renewalDate
    self.accessEnd = accessEnd
    self.winBackOffers = winBackOffers
  }

  public var hasAccess: Bool { state == .active || state == .gracePeriod }
}

/// A change that a customer makes to a subscription in the device's settings.
public enum SubscriptionSetting: Hashable, Codable, Sendable {
  case autoRenew(isOn: Bool)
  case priceIncrease(isAgreed: Bool)
}
