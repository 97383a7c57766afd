import StoreModel

/// An event that changes a subscription.
enum SubscriptionEvent: Hashable, Sendable {
  /// The customer confirmed the purchase of a plan of the group. If the plan begins at once, the effects contain its
  /// charge.
  case purchased(SubscriptionPlan, offer: SubscriptionOffer?)
  /// The customer chose a plan for the next period, with or without an offer. Choosing the current plan without an
  /// offer cancels an earlier choice.
  case planChosen(SubscriptionPlan, offer: SubscriptionOffer?)
  /// The subscription's ``Subscription/dueDate`` was reached.
  ///
  /// - Parameters:
  ///   - plan: the plan of the next period; nil if the product is no longer sold.
  ///   - canCharge: whether the customer's payment method is valid.
  case due(SubscriptionPlan?, canCharge: Bool)
  /// The customer's payment method is valid again.
  case paymentMethodFixed(SubscriptionPlan?)
  case autoRenewChanged(isOn: Bool)
  case priceIncreaseAnnounced(Price, needsConsent: Bool)
  case priceIncreaseAnswered(isAgreed: Bool)
  /// The transaction of the current period was refunded.
  case refunded
  /// The refund of the current period was reversed.
  case refundReversed
  case renewalDateExtended(to: StoreDate)
  /// The subscription ends now, although its period is not over.
  case ended
  /// The period ends now, and the next one begins, also if automatic renewal is off or the subscription has expired.
  ///
  /// - Parameters: as those of ``due(_:canCharge:)``.
  case renewedEarly(SubscriptionPlan?, canCharge: Bool)
}

/// An action that the store must carry out after an event, in the same commit.
enum SubscriptionEffect: Hashable, Sendable {
  /// Make the transaction of a period, and charge its price unless it is zero.
  case charge(PeriodCharge)
  /// Mark the transaction of the current period as upgraded, and refund a share of its price in thousandths of a
  /// percent.
  case upgradeCurrent(refundedShare: Int)
  /// Move the expiration date of the current period's transaction.
  case moveEnd(to: StoreDate)
  /// Record a step of the subscription's history.
  case record(SubscriptionStep)
}

/// A period to charge.
struct PeriodCharge: Hashable, Sendable {
  let productID: ProductID
  let start: StoreDate
  let end: StoreDate
  let price: Price
  /// `purchase` if a purchase by the customer began the period. `renewal` if the store renewed the subscription, also
  /// after a failed charge.
  let reason: TransactionReason
  /// The offer that set the price; nil for the regular price.
  let offer: SubscriptionOffer?
}

/// A step of a subscription's history. The raw values are stored.
public enum SubscriptionStep: String, Hashable, Codable, Sendable, CaseIterable {
  case subscribed, resubscribed, renewed, recovered, upgraded
  case planChosen, planChoiceCancelled, offerRedeemed
  case gracePeriodBegan, billingRetryBegan, gracePeriodEnded, billingRetryEnded
  case autoRenewOn, autoRenewOff
  case priceIncreaseAnnounced, priceIncreaseAgreed, priceIncreaseDeclined
  case expired, revoked, refundReversed, renewalDateExtended
}

/// Thrown when an event is not possible in the subscription's state. The subscription is unchanged.
enum SubscriptionError: Error, Hashable, Sendable {
  /// The customer bought the current plan again, without an offer.
  case alreadySubscribed
  /// The subscription has ended, or the event needs the state ``RenewalRecord/State/active``.
  case notActive
  case noPriceIncrease
  /// The new renewal date is not after the current one.
  case notLater
}
