import StoreModel

/// A subscription as the model of a history knows it.
struct ClubSubscription {
  /// The raw values are those of `status`.
  enum State: Int { case active = 1, expired, billingRetry, gracePeriod, revoked }

  struct PriceIncrease {
    let price: Int64
    let needsConsent: Bool
    var isAgreed: Bool
    var isOpen: Bool { needsConsent && !isAgreed }
  }

  struct NextPlan {
    let plan: ClubCatalog.Plan
    let offer: SubscriptionOffer?
  }

  let person: Person
  var state = State.active
  var plan: ClubCatalog.Plan
  /// The number of the transaction of the current period.
  var current: Int
  var end: StoreDate
  var isAutoRenewOn = true
  /// The price without an offer, in milliunits.
  var regularPrice: Int64
  var offer: SubscriptionOffer?
  /// How many periods more the offer applies to.
  var offerPeriodsLeft = 0
  var nextPlan: NextPlan?
  /// An offer that was redeemed for the next period.
  var nextOffer: SubscriptionOffer?
  var increase: PriceIncrease?
  var graceEnd: StoreDate?
  var retryEnd: StoreDate?
  var expirationIntent: Int?
  /// When it was extended.
  var extensions: [StoreDate] = []

  var hasAccess: Bool { state == .active || state == .gracePeriod }
  var isRunning: Bool { hasAccess || state == .billingRetry }
  var isRetrying: Bool { (state == .gracePeriod || state == .billingRetry) && isAutoRenewOn }

  var dueDate: StoreDate? {
    switch state {
    case .active: end
    case .gracePeriod: graceEnd
    case .billingRetry: retryEnd
    case .expired, .revoked: nil
    }
  }

  var renewalPlan: ClubCatalog.Plan { nextPlan?.plan ?? plan }

  /// The offer of the coming period.
  var renewalOffer: SubscriptionOffer? {
    if let nextPlan { return nextPlan.offer }
    return nextOffer ?? (offerPeriodsLeft > 0 ? offer : nil)
  }

  /// The price of the coming renewal without an offer.
  ///
  /// - Parameter catalogPrice: that of ``renewalPlan``.
  func regularRenewalPrice(_ catalogPrice: Int64) -> Int64 {
    guard nextPlan == nil else { return catalogPrice }
    if let increase, !increase.isOpen { return increase.price }
    return min(catalogPrice, regularPrice)
  }

  /// Whether a purchase begins at once, and not with the next period.
  func beginsAtOnce(_ other: ClubCatalog.Plan, hasOffer: Bool) -> Bool {
    switch state {
    case .expired, .revoked, .billingRetry: true
    case .gracePeriod: other != plan || hasOffer
    case .active: other.level < plan.level || other.level == plan.level && other.weeks == plan.weeks && other != plan
    }
  }

  mutating func expire(_ intent: Int) {
    (state, expirationIntent, isAutoRenewOn) = (.expired, intent, false)
    (graceEnd, retryEnd, nextPlan, nextOffer, increase) = (nil, nil, nil, nil, nil)
    (offer, offerPeriodsLeft) = (nil, 0)
  }

  mutating func revoke() {
    (state, isAutoRenewOn) = (.revoked, false)
    (graceEnd, retryEnd, nextPlan, nextOffer, increase, expirationIntent) = (nil, nil, nil, nil, nil, nil)
  }
}
