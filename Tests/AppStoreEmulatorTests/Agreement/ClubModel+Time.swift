import StoreModel

/// What happens by itself: renewals, and the ends of periods, grace periods and billing retries.
extension ClubModel {
  /// Carries out what is due until a date.
  mutating func advance(to date: StoreDate) {
    while let due = nextDue, due.date <= date {
      now = due.date
      due.settle(&self)
      commit()
    }
    now = date
  }

  var nextDue: (date: StoreDate, settle: (inout ClubModel) -> Void)? {
    let renewal = subscriptions.compactMap { key, found in found.dueDate.map { (date: $0, key, found.current) } }
      .min { ($0.date, $0.2) < ($1.date, $1.2) }
    let mass = massExtensions.min { $0.dueDate < $1.dueDate }
    if let mass, renewal.map({ mass.dueDate < $0.date }) ?? true {
      return (mass.dueDate, { $0.extendAll(mass) })
    }
    return renewal.map { renewal in (renewal.date, { $0.settle(renewal.1) }) }
  }

  mutating func settle(_ key: SubscriptionKey) {
    guard var found = subscriptions[key] else { return }
    if found.isRetrying, !cannotPay.contains(key.person) { return recover(key) }
    switch found.state {
    case .active: return periodEnded(key)
    case .gracePeriod where found.isAutoRenewOn:
      found.state = .billingRetry
      return step("GRACE_PERIOD_EXPIRED", key, found)
    case .gracePeriod:
      found.expire(1)
      return step("EXPIRED/VOLUNTARY", key, found)
    case .billingRetry:
      found.expire(2)
      return step("EXPIRED/BILLING_RETRY", key, found)
    case .expired, .revoked: return
    }
  }

  mutating func periodEnded(_ key: SubscriptionKey) {
    guard var found = subscriptions[key] else { return }
    func expire(_ intent: Int, _ subtype: String) -> ClubSubscription {
      found.expire(intent)
      return found
    }
    if !found.isAutoRenewOn { return step("EXPIRED/VOLUNTARY", key, expire(1, "")) }
    if notForSale.contains(found.renewalPlan.id) { return step("EXPIRED/PRODUCT_NOT_FOR_SALE", key, expire(4, "")) }
    if found.nextPlan == nil, found.increase?.isOpen == true {
      return step("EXPIRED/PRICE_INCREASE", key, expire(3, ""))
    }
    if !cannotPay.contains(key.person) || renewalPrice(found) == 0 { return renew(key, from: found.end, "DID_RENEW") }
    (found.state, found.retryEnd) = (.billingRetry, found.end.adding(seconds: 60 * 86_400))
    if let graceSeconds {
      (found.state, found.graceEnd) = (.gracePeriod, found.end.adding(seconds: graceSeconds))
    }
    step(graceSeconds == nil ? "DID_FAIL_TO_RENEW" : "DID_FAIL_TO_RENEW/GRACE_PERIOD", key, found)
  }

  func renewalPrice(_ subscription: ClubSubscription) -> Int64 {
    subscription.renewalOffer?.price.rawValue
      ?? subscription.regularRenewalPrice(price(subscription.renewalPlan.id))
  }

  mutating func renew(_ key: SubscriptionKey, from start: StoreDate, _ name: String) {
    guard var found = subscriptions[key] else { return }
    let (plan, offer, price) = (found.renewalPlan, found.renewalOffer, renewalPrice(found))
    found.regularPrice = found.regularRenewalPrice(self.price(plan.id))
    if found.nextPlan != nil || found.nextOffer != nil {
      found.offerPeriodsLeft = (offer?.numberOfPeriods ?? 1) - 1
    } else if offer != nil {
      found.offerPeriodsLeft -= 1
    }
    // An increase without an answer stays open, when a failed renewal is charged at the old price.
    if found.nextPlan != nil || found.increase?.isOpen == false { found.increase = nil }
    (found.plan, found.offer, found.nextPlan, found.nextOffer) = (plan, offer, nil, nil)
    beginPeriod(key, &found, from: start, price: price, isRenewal: true, token: nil, shares: name)
    step(name, key, found)
  }

  mutating func recover(_ key: SubscriptionKey) {
    guard var found = subscriptions[key], found.isRetrying else { return }
    guard !notForSale.contains(found.renewalPlan.id) else {
      found.expire(4)
      return step("EXPIRED/PRODUCT_NOT_FOR_SALE", key, found)
    }
    let seconds = found.renewalOffer?.seconds ?? Int64(found.renewalPlan.weeks) * 7 * 86_400
    let isInTime = found.state == .gracePeriod && found.end.adding(seconds: seconds) > now.wholeSeconds
    renew(key, from: isInTime ? found.end : now.wholeSeconds, "DID_RENEW/BILLING_RECOVERY")
  }
}
