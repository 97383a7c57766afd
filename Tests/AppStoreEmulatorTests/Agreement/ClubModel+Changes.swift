import Foundation
import StoreModel

/// Changes by customers, by the developer and by the store: renewal, payment, prices, refunds, renewal dates.
extension ClubModel {
  mutating func setAutoRenew(_ key: SubscriptionKey, isOn: Bool) {
    defer { commit() }
    turn(key, isOn: isOn)
    if !cannotPay.contains(key.person) { recover(key) }
  }

  mutating func turn(_ key: SubscriptionKey, isOn: Bool) {
    guard var found = subscriptions[key], found.isAutoRenewOn != isOn else { return }
    found.isAutoRenewOn = isOn
    guard !isOn else { return step("DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", key, found) }
    found.nextPlan = nil
    guard found.state == .billingRetry else { return step("DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", key, found) }
    found.expire(2)
    step("EXPIRED/BILLING_RETRY", key, found)
  }

  mutating func pay(_ person: Person, isPossible: Bool) {
    defer { commit() }
    guard isPossible else {
      cannotPay.insert(person)
      return
    }
    cannotPay.remove(person)
    for key in keys(of: person) { recover(key) }
  }

  mutating func sell(_ product: ProductID, isOnSale: Bool) {
    if isOnSale { notForSale.remove(product) } else { notForSale.insert(product) }
  }

  mutating func raisePrice(of product: ProductID, to price: Int64) { prices[product] = price }

  mutating func announceIncrease(_ key: SubscriptionKey, needsConsent: Bool) {
    defer { commit() }
    guard var found = subscriptions[key] else { return }
    let price = price(found.plan.id)
    let wasAgreed = found.increase.map { $0.price == price && $0.isAgreed } ?? false
    found.increase = ClubSubscription.PriceIncrease(
      price: price, needsConsent: needsConsent, isAgreed: !needsConsent || wasAgreed)
    step(found.increase?.isOpen == true ? "PRICE_INCREASE/PENDING" : "PRICE_INCREASE/ACCEPTED", key, found)
  }

  mutating func answerIncrease(_ key: SubscriptionKey, isAgreed: Bool) {
    defer { commit() }
    guard var found = subscriptions[key], isAgreed else { return turn(key, isOn: false) }
    found.increase?.isAgreed = true
    step("PRICE_INCREASE/ACCEPTED", key, found)
  }

  mutating func setToken(_ number: Int, _ token: UUID) {
    var number = number
    if let key = purchaser(of: transactions[number]), let found = subscriptions[key] { number = found.current }
    transactions[number].serverToken = token
  }

  // MARK: Refunds

  mutating func refund(_ number: Int, reason: Int, percentage: Int) {
    defer { commit() }
    transactions[number].revocation = ClubTransaction.Revocation(
      date: now.wholeSeconds, reason: reason, type: percentage == 100_000 ? "REFUND_FULL" : "REFUND_PRORATED",
      percentage: percentage)
    if let key = purchaser(of: transactions[number]), subscriptions[key]?.current == number {
      subscriptions[key]?.revoke()
    }
    note("REFUND", number)
    endSharing(of: number, reason: reason)
  }

  mutating func reverseRefund(_ number: Int) {
    defer { commit() }
    transactions[number].revocation = nil
    if let key = purchaser(of: transactions[number]), var found = subscriptions[key], found.current == number {
      if found.end > now { found.state = .active } else { found.expire(1) }
      subscriptions[key] = found
    }
    note("REFUND_REVERSED", number)
    if transactions[number].type == .autoRenewableSubscription {
      sharePeriod(number, "SUBSCRIBED/RESUBSCRIBE")
    } else {
      shareForEver(number)
    }
  }

  mutating func requestRefund(_ number: Int, reason: String) {
    defer { commit() }
    note("CONSUMPTION_REQUEST", number, reason: reason)
    guard let key = purchaser(of: transactions[number]), subscriptions[key]?.state == .active else { return }
    turn(key, isOn: false)
  }

  mutating func declineRefund(_ number: Int) {
    note("REFUND_DECLINED", number)
    commit()
  }

  // MARK: Extensions of renewal dates

  mutating func extend(_ key: SubscriptionKey, days: Int) {
    lengthen(key, days: days)
    commit()
  }

  mutating func lengthen(_ key: SubscriptionKey, days: Int) {
    guard var found = subscriptions[key] else { return }
    found.end = found.end.adding(seconds: Int64(days) * 86_400)
    found.extensions.append(now)
    for number in [found.current] + shares(of: found.current) { transactions[number].expiresDate = found.end }
    step("RENEWAL_EXTENDED", key, found)
    for number in shares(of: found.current) { note("RENEWAL_EXTENDED", number) }
  }

  mutating func extendAllLater(_ id: UUID, _ environment: StoreEnvironment, _ plan: ClubCatalog.Plan, days: Int) {
    massExtensions.append(
      MassExtension(id: id, environment: environment, plan: plan, days: days, dueDate: now.adding(seconds: 60)))
  }

  mutating func extendAll(_ mass: MassExtension) {
    massExtensions.removeAll { $0.id == mass.id }
    var (succeeded, failed) = (0, 0)
    let subscribers = subscriptions.filter {
      $0.key.person.environment == mass.environment && $0.value.plan == mass.plan && $0.value.state == .active
    }
    for (key, found) in subscribers.sorted(by: { $0.value.current < $1.value.current }) {
      // A paid period, and fewer than two extensions within 365 days.
      let recent = found.extensions.filter { $0 > now.adding(seconds: -365 * 86_400) }
      if transactions[found.current].price > 0, recent.count < 2 {
        lengthen(key, days: mass.days)
        succeeded += 1
      } else {
        note("RENEWAL_EXTENSION/FAILURE", found.current)
        failed += 1
      }
    }
    commit()
    expected.append(
      ExpectedNotification(
        name: "RENEWAL_EXTENSION/SUMMARY", date: now,
        summary: [
          "requestIdentifier": mass.id.uuidString.lowercased(), "environment": mass.environment.rawValue,
          "bundleId": TeaShop.app.rawValue, "productId": mass.plan.id.rawValue, "succeededCount": "\(succeeded)",
          "failedCount": "\(failed)",
        ], environment: mass.environment))
  }
}
