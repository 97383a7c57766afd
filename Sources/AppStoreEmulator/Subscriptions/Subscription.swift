import StoreModel

/// A customer's auto-renewable subscription in one group of an app: the current plan, and what happens when its period
/// ends.
///
/// This is the state machine, a value without clock and database: ``apply(_:at:_:)`` changes it by an event, and returns
/// what the store must do. Everything that shows a subscription reads its ``RenewalRecord`` instead. Documentation/subscriptions.md has the states and transitions.
struct Subscription: Hashable, Codable, Sendable {
  /// An offer whose price applies to one or more periods.
  struct RunningOffer: Hashable, Codable, Sendable {
    let offer: SubscriptionOffer
    /// The currency of the offer's price.
    let currency: String
    /// The number of periods at the offer's price after the current period. If the offer has not begun, the number of
    /// its periods after its first one.
    var remainingPeriods: Int

    init(_ offer: SubscriptionOffer, currency: String) {
      (self.offer, self.currency, remainingPeriods) = (offer, currency, offer.numberOfPeriods - 1)
    }

    var price: Price { Price(amount: offer.price, currency: currency) }

    /// The offer in the currency of a plan. If the customer moved to another currency, it has the catalog's price in
    /// that currency; nil if the catalog no longer has the offer.
    func priced(for plan: SubscriptionPlan) -> RunningOffer? {
      guard currency != plan.price.currency else { return self }
      guard let same = plan.offers.first(where: { $0.kind == offer.kind && $0.identifier == offer.identifier }) else {
        return nil
      }
      var priced = RunningOffer(same, currency: plan.price.currency)
      priced.remainingPeriods = remainingPeriods
      return priced
    }
  }

  /// A plan that the customer chose for the next period.
  struct PlanChange: Hashable, Codable, Sendable {
    let productID: ProductID
    /// The offer with which the plan begins.
    let offer: RunningOffer?
  }

  var state: RenewalRecord.State
  /// The plan of the current period.
  var productID: ProductID
  var level: Int
  /// The plan that begins with the next period; nil for no change.
  var planChange: PlanChange?
  var isAutoRenewOn = true
  var period: BillingPeriod
  /// The length of the plan's regular periods. An offer's period may be longer or shorter.
  var regularLength: CalendarPeriod
  /// The price of a renewal without an offer.
  var renewalPrice: Price
  /// The offer of the current period; nil for a period at the regular price.
  var offer: RunningOffer?
  /// An offer that the customer redeemed for the next period of the current plan.
  var nextOffer: RunningOffer?
  var priceIncrease: RenewalRecord.PriceIncrease?
  var graceEnd: StoreDate?
  var retryEnd: StoreDate?
  var expirationReason: RenewalRecord.ExpirationReason?

  /// The date until which the customer has access; in the past if the customer has no access.
  ///
  /// In a grace period, this date is later than the `expiresDate` of the current period's transaction.
  var accessEnd: StoreDate {
    switch state {
    case .active: period.end
    case .gracePeriod: graceEnd ?? period.end
    case .billingRetry, .expired: period.end
    case .revoked: period.start
    }
  }

  /// Whether the customer has access now. Correct only after due events were settled, which ``StoreDatabase`` does before
  /// each call.
  var hasAccess: Bool { state == .active || state == .gracePeriod }

  /// The date of the next event that happens automatically; nil if nothing happens without the customer or the
  /// operator.
  var dueDate: StoreDate? {
    switch state {
    case .active: period.end
    case .gracePeriod: graceEnd
    case .billingRetry: retryEnd
    case .expired, .revoked: nil
    }
  }

  /// The plan of the next period.
  var renewalProductID: ProductID { planChange?.productID ?? productID }

  /// Whether the store is trying to charge a renewal.
  var isRetrying: Bool { (state == .gracePeriod || state == .billingRetry) && isAutoRenewOn }
}

/// A product of a subscription group as one customer would buy it now.
struct SubscriptionPlan: Hashable, Sendable {
  let productID: ProductID
  /// The service level within the group. 1 is the highest level.
  let level: Int
  let period: CalendarPeriod
  /// The price of one period, in the currency of the customer's storefront.
  let price: Price
  /// The plan's offers, at the prices of the customer's storefront.
  var offers: [SubscriptionOffer] = []
}
