import StoreModel

// The state machine. Documentation/subscriptions.md has the table of transitions.
extension Subscription {
  /// Begins a subscription with a customer's first purchase in the group.
  static func begin(
    _ plan: SubscriptionPlan, offer: SubscriptionOffer?, at date: StoreDate, _ rules: RenewalRules
  ) -> (Subscription, [SubscriptionEffect]) {
    let period = BillingPeriod(of: offer?.period ?? plan.period, from: date, at: rules.rate)
    var subscription = Subscription(
      state: .active, productID: plan.productID, level: plan.level, period: period, regularLength: plan.period,
      renewalPrice: plan.price)
    let charge = subscription.startPeriod(period, plan, offer: offer, reason: .purchase)
    return (subscription, [.charge(charge), .record(.subscribed)])
  }

  /// Changes the subscription by an event.
  ///
  /// - Parameter date: the date of the event; not before the date of the previous event.
  /// - Returns: the effects that the store must carry out in the same commit, in this order.
  /// - Throws: ``SubscriptionError``; the subscription is then unchanged.
  mutating func apply(
    _ event: SubscriptionEvent, at date: StoreDate, _ rules: RenewalRules
  ) throws(SubscriptionError) -> [SubscriptionEffect] {
    switch event {
    case .purchased(let plan, let offer): try purchase(plan, offer, at: date, rules)
    case .planChosen(let plan, let offer): try choose(plan, offer)
    case .due(let plan, let canCharge): settleDue(plan, canCharge: canCharge, at: date, rules)
    case .paymentMethodFixed(let plan): recover(plan, at: date, rules)
    case .autoRenewChanged(let isOn): try setAutoRenew(isOn, at: date)
    case .priceIncreaseAnnounced(let price, let needsConsent): try announce(price, needsConsent)
    case .priceIncreaseAnswered(let isAgreed): try answer(isAgreed, at: date)
    case .refunded: revoke()
    case .refundReversed: restoreRevoked(at: date)
    case .renewalDateExtended(let end): try extend(to: end)
    case .ended: try end(at: date)
    case .renewedEarly(let plan, let canCharge): try renewEarly(plan, canCharge: canCharge, at: date, rules)
    }
  }

  /// Whether a purchase of `plan` begins, and is charged, at once. Otherwise it begins with the next period.
  ///
  /// A higher level begins at once, and so does another plan of the same level and period (App Store Connect,
  /// "Subscription levels"). In a grace period, another plan or an offer begins at once, because the current period was
  /// not paid.
  func beginsAtOnce(_ plan: SubscriptionPlan, hasOffer: Bool) -> Bool {
    switch state {
    case .expired, .revoked, .billingRetry: true
    case .gracePeriod: plan.productID != productID || hasOffer
    case .active:
      plan.level < level || plan.level == level && plan.period == regularLength && plan.productID != productID
    }
  }

  /// Whether the subscription gives access, or can give access again without a purchase.
  var isRunning: Bool {
    switch state {
    case .active, .gracePeriod, .billingRetry: true
    case .expired, .revoked: false
    }
  }

  // MARK: Purchases and plans

  private mutating func purchase(
    _ plan: SubscriptionPlan, _ offer: SubscriptionOffer?, at date: StoreDate, _ rules: RenewalRules
  ) throws(SubscriptionError) -> [SubscriptionEffect] {
    guard beginsAtOnce(plan, hasOffer: offer != nil) else {
      guard state == .active, plan.productID != productID || offer != nil else { throw .alreadySubscribed }
      return try choose(plan, offer)
    }
    // In a grace period the current transaction's period has ended, and is not refunded.
    let upgrade: [SubscriptionEffect] =
      state == .active ? [.upgradeCurrent(refundedShare: period.remainingShare(at: date))] : []
    let isHigher = hasAccess && plan.level < level
    return upgrade + restart(plan, offer, at: date, rules, isHigher || state == .active ? .upgraded : .resubscribed)
  }

  private mutating func restart(
    _ plan: SubscriptionPlan, _ offer: SubscriptionOffer?, at date: StoreDate, _ rules: RenewalRules,
    _ step: SubscriptionStep
  ) -> [SubscriptionEffect] {
    let period = BillingPeriod(of: offer?.period ?? plan.period, from: date, at: rules.rate)
    (isAutoRenewOn, planChange, nextOffer, priceIncrease) = (true, nil, nil, nil)
    return [.charge(startPeriod(period, plan, offer: offer, reason: .purchase)), .record(step)]
  }

  private mutating func choose(
    _ plan: SubscriptionPlan, _ offer: SubscriptionOffer?
  ) throws(SubscriptionError) -> [SubscriptionEffect] {
    guard state == .active else { throw .notActive }
    let offer = offer.map { RunningOffer($0, currency: plan.price.currency) }
    var effects: [SubscriptionEffect] = []
    if plan.productID != productID {
      planChange = PlanChange(productID: plan.productID, offer: offer)
      effects = [.record(.planChosen)]
    } else {
      if planChange != nil { effects = [.record(.planChoiceCancelled)] }
      planChange = nil
      guard let offer else { return effects }
      nextOffer = offer
      effects.append(.record(.offerRedeemed))
    }
    if !isAutoRenewOn { effects.insert(.record(.autoRenewOn), at: 0) }
    isAutoRenewOn = true
    return effects
  }

  /// Makes `period` the current one.
  private mutating func startPeriod(
    _ period: BillingPeriod, _ plan: SubscriptionPlan, offer: SubscriptionOffer?, running: RunningOffer? = nil,
    price: Price? = nil, reason: TransactionReason
  ) -> PeriodCharge {
    let current = running ?? offer.map { RunningOffer($0, currency: plan.price.currency) }
    self.period = period
    (state, productID, level, regularLength) = (.active, plan.productID, plan.level, plan.period)
    renewalPrice = price ?? plan.price
    self.offer = current
    (graceEnd, retryEnd, expirationReason) = (nil, nil, nil)
    return PeriodCharge(
      productID: plan.productID, start: period.start, end: period.end,
      price: current?.price ?? renewalPrice,
      reason: reason, offer: current?.offer)
  }

  // MARK: Renewal

  private mutating func settleDue(
    _ plan: SubscriptionPlan?, canCharge: Bool, at date: StoreDate, _ rules: RenewalRules
  ) -> [SubscriptionEffect] {
    if isRetrying, canCharge { return recover(plan, at: date, rules) }
    switch state {
    case .active: return periodEnded(plan, canCharge: canCharge, rules)
    case .gracePeriod:
      guard isAutoRenewOn, let retryEnd, retryEnd > date else {
        return [.record(.gracePeriodEnded)] + expire(isAutoRenewOn ? .billingError : .cancelled)
      }
      state = .billingRetry
      graceEnd = nil
      return [.record(.gracePeriodEnded)]
    case .billingRetry: return [.record(.billingRetryEnded)] + expire(.billingError)
    case .expired, .revoked: return []
    }
  }

  private mutating func periodEnded(
    _ plan: SubscriptionPlan?, canCharge: Bool, _ rules: RenewalRules
  ) -> [SubscriptionEffect] {
    guard isAutoRenewOn else { return expire(.cancelled) }
    guard let plan else { return expire(.productUnavailable) }
    if planChange == nil, priceIncrease?.isUnanswered == true { return expire(.priceIncrease) }
    let charge = renewal(plan, after: period, rules)
    // A free period needs no payment method.
    guard canCharge || charge.charge.price.amount == .zero else {
      retryEnd = period.end.adding(seconds: rules.rate.retrySeconds)
      graceEnd = rules.graceEnd(after: regularLength, endingAt: period.end)
      state = graceEnd == nil ? .billingRetry : .gracePeriod
      return [.record(graceEnd == nil ? .billingRetryBegan : .gracePeriodBegan)]
    }
    self = charge.subscription
    return [.charge(charge.charge), .record(.renewed)]
  }

  /// The subscription after its renewal, and the charge.
  private func renewal(
    _ plan: SubscriptionPlan, after previous: BillingPeriod?, from date: StoreDate? = nil, _ rules: RenewalRules
  ) -> (subscription: Subscription, charge: PeriodCharge) {
    var renewed = self
    let running = offerOfNextPeriod?.priced(for: plan)
    let length = running?.offer.period ?? plan.period
    let period =
      previous.map { BillingPeriod(of: length, after: $0, at: rules.rate) }
      ?? BillingPeriod(of: length, from: date ?? self.period.end, at: rules.rate)
    let charge = renewed.startPeriod(
      period, plan, offer: nil, running: running, price: price(of: plan), reason: .renewal)
    // A price increase can be unanswered here only when a failed renewal is recovered. The new period does not have the
    // increased price, and the customer can still answer before the next period.
    let isStillOpen = planChange == nil && priceIncrease?.isUnanswered == true
    (renewed.planChange, renewed.nextOffer, renewed.priceIncrease) = (nil, nil, isStillOpen ? priceIncrease : nil)
    return (renewed, charge)
  }

  /// The offer that sets the price of the next period; nil for the regular price.
  var offerOfNextPeriod: RunningOffer? {
    // A change of plan ends the offers of the plan before.
    if let planChange { return planChange.offer }
    // An offer that the customer redeemed replaces the remaining periods of an earlier offer.
    if let nextOffer { return nextOffer }
    guard var offer, offer.remainingPeriods > 0 else { return nil }
    offer.remainingPeriods -= 1
    return offer
  }

  /// The price of the next period.
  ///
  /// - Parameter plan: the plan of ``renewalProductID``.
  func nextPrice(_ plan: SubscriptionPlan) -> Price { offerOfNextPeriod?.priced(for: plan)?.price ?? price(of: plan) }

  /// The price of the next period, as the renewal information shows it: with an increase that the customer still has to agree to,
  /// because the subscription does not renew without the consent. A renewal that failed before is charged at the old price.
  ///
  /// - Parameter plan: the plan of ``renewalProductID``.
  func priceOfNotice(_ plan: SubscriptionPlan) -> Price {
    guard state == .active, planChange == nil, offerOfNextPeriod == nil, let priceIncrease, priceIncrease.isUnanswered
    else { return nextPrice(plan) }
    return priceIncrease.price
  }

  /// The regular price of the next period.
  ///
  /// A customer keeps the price at which the plan was bought until an increase is announced. If the increase needs consent,
  /// the customer must also agree. A lower price applies without consent, and so does the price of another plan or
  /// currency.
  private func price(of plan: SubscriptionPlan) -> Price {
    guard plan.productID == productID, plan.price.currency == renewalPrice.currency else { return plan.price }
    if let priceIncrease, priceIncrease.isAgreed, priceIncrease.price.currency == plan.price.currency {
      return priceIncrease.price
    }
    return plan.price.amount < renewalPrice.amount ? plan.price : renewalPrice
  }

  private mutating func recover(
    _ plan: SubscriptionPlan?, at date: StoreDate, _ rules: RenewalRules
  ) -> [SubscriptionEffect] {
    guard isRetrying else { return [] }
    guard let plan else { return expire(.productUnavailable) }
    // In the grace period, the renewal date does not change. After the grace period, the customer had no access, so the
    // new period begins now.
    var renewed = renewal(plan, after: state == .gracePeriod ? period : nil, from: date, rules)
    if renewed.subscription.period.end <= date { renewed = renewal(plan, after: nil, from: date, rules) }
    self = renewed.subscription
    return [.charge(renewed.charge), .record(.recovered)]
  }

  private mutating func expire(_ reason: RenewalRecord.ExpirationReason) -> [SubscriptionEffect] {
    (state, expirationReason, graceEnd, retryEnd) = (.expired, reason, nil, nil)
    (isAutoRenewOn, planChange, nextOffer, priceIncrease) = (false, nil, nil, nil)
    return [.record(.expired)]
  }

  // MARK: The customer's choices

  private mutating func setAutoRenew(
    _ isOn: Bool, at date: StoreDate
  ) throws(SubscriptionError) -> [SubscriptionEffect] {
    guard isRunning else { throw .notActive }
    guard isOn != isAutoRenewOn else { return [] }
    isAutoRenewOn = isOn
    let effects: [SubscriptionEffect] = [.record(isOn ? .autoRenewOn : .autoRenewOff)]
    guard !isOn else { return effects }
    // The change of plan is dropped, with its offer. An offer for the current plan (`nextOffer`) is kept, because the
    // customer may turn renewal on again.
    planChange = nil
    // Without automatic renewal, the store no longer tries to charge the renewal, so billing retry ends now, and the
    // subscription has ended because of the failed charge. A grace period continues until its end date.
    if state == .billingRetry { return effects + expire(.billingError) }
    return effects
  }

  private mutating func announce(
    _ price: Price, _ needsConsent: Bool
  ) throws(SubscriptionError) -> [SubscriptionEffect] {
    guard isRunning else { throw .notActive }
    // If the same increase is announced again, a consent that the customer gave stays valid.
    let isAgreed = !needsConsent || priceIncrease?.price == price && priceIncrease?.isAgreed == true
    priceIncrease = RenewalRecord.PriceIncrease(price: price, needsConsent: needsConsent, isAgreed: isAgreed)
    return [.record(.priceIncreaseAnnounced)]
  }

  private mutating func answer(
    _ isAgreed: Bool, at date: StoreDate
  ) throws(SubscriptionError) -> [SubscriptionEffect] {
    guard isRunning else { throw .notActive }
    guard priceIncrease?.isUnanswered == true else { throw .noPriceIncrease }
    if isAgreed {
      priceIncrease?.isAgreed = true
      return [.record(.priceIncreaseAgreed)]
    }
    return [.record(.priceIncreaseDeclined)] + (try setAutoRenew(false, at: date))
  }

  // MARK: Refunds and extensions

  private mutating func revoke() -> [SubscriptionEffect] {
    guard state != .revoked else { return [] }
    let wasOn = isAutoRenewOn
    (state, isAutoRenewOn, graceEnd, retryEnd, expirationReason) = (.revoked, false, nil, nil, nil)
    (planChange, nextOffer, priceIncrease) = (nil, nil, nil)
    return (wasOn ? [.record(.autoRenewOff)] : []) + [.record(.revoked)]
  }

  private mutating func restoreRevoked(at date: StoreDate) -> [SubscriptionEffect] {
    guard state == .revoked else { return [] }
    // The renewal date is unchanged. Automatic renewal stays off until the customer turns it on.
    if period.end > date {
      state = .active
      return [.record(.refundReversed)]
    }
    return [.record(.refundReversed)] + expire(.cancelled)
  }

  private mutating func extend(to date: StoreDate) throws(SubscriptionError) -> [SubscriptionEffect] {
    guard state == .active else { throw .notActive }
    guard date > period.end else { throw .notLater }
    period.move(endTo: date)
    return [.moveEnd(to: date), .record(.renewalDateExtended)]
  }

  // MARK: What only a test does

  private mutating func end(at date: StoreDate) throws(SubscriptionError) -> [SubscriptionEffect] {
    guard isRunning else { throw .notActive }
    // The period of a failed renewal has ended before.
    let moves: [SubscriptionEffect] = state == .active ? [.moveEnd(to: date)] : []
    if state == .active { period.move(endTo: date) }
    let turnsOff: [SubscriptionEffect] = isAutoRenewOn ? [.record(.autoRenewOff)] : []
    return moves + turnsOff + expire(isRetrying ? .billingError : .cancelled)
  }

  /// Ends the subscription with its period before the current one, which was deleted.
  ///
  /// - Parameter end: the end of the period before.
  mutating func endWithEarlierPeriod(at end: StoreDate) -> [SubscriptionEffect] {
    period.move(endTo: end)
    return isRunning ? expire(.cancelled) : []
  }

  private mutating func renewEarly(
    _ plan: SubscriptionPlan?, canCharge: Bool, at date: StoreDate, _ rules: RenewalRules
  ) throws(SubscriptionError) -> [SubscriptionEffect] {
    guard state != .revoked else { throw .notActive }
    let turnsOn: [SubscriptionEffect] = isAutoRenewOn ? [] : [.record(.autoRenewOn)]
    isAutoRenewOn = true
    if priceIncrease?.isUnanswered == true { priceIncrease = nil }
    switch state {
    // The failed charge is not repeated.
    case .gracePeriod, .billingRetry, .revoked: return turnsOn
    case .active:
      period.move(endTo: date)
      return turnsOn + [.moveEnd(to: date)] + periodEnded(plan, canCharge: canCharge, rules)
    case .expired:
      guard let plan, canCharge else { throw .notActive }
      let renewed = renewal(plan, after: nil, from: date, rules)
      self = renewed.subscription
      return turnsOn + [.charge(renewed.charge), .record(.renewed)]
    }
  }
}
