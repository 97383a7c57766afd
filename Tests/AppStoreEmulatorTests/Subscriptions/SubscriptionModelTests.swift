import StoreModel
import Testing

@testable import AppStoreEmulator

/// A small model of a subscription, written without states: it knows until when the customer has paid, and since when a
/// charge fails. Every period lasts a minute, a grace period a minute, and a billing retry two.
private struct SubscriptionModel {
  var plan: SubscriptionPlan
  var chosen: (plan: SubscriptionPlan, prices: [Milliunits])?
  var paidFrom: StoreDate
  var paidUntil: StoreDate
  var renews = true
  var isCardValid = true
  var hasGrace: Bool
  /// The end of the period after which a charge failed.
  var failedAt: StoreDate?
  var isGraceOver = false
  var isOver = false
  var isRefunded = false
  /// The offer's prices of the next periods.
  var offerPrices: [Milliunits] = []
  var charges: [String] = []

  init(_ plan: SubscriptionPlan, at date: StoreDate, hasGrace: Bool) {
    (self.plan, paidFrom, paidUntil, self.hasGrace) = (plan, date, date, hasGrace)
    charge(plan, from: date, plan.price.amount)
  }

  private mutating func charge(_ plan: SubscriptionPlan, from start: StoreDate, _ price: Milliunits) {
    self.plan = plan
    (paidFrom, paidUntil, failedAt, isGraceOver, chosen) = (start, start.adding(seconds: 60), nil, false, nil)
    charges.append("\(plan.productID) \(start) \(paidUntil) \(price)")
  }

  func hasAccess(at date: StoreDate) -> Bool {
    guard !isOver, !isRefunded else { return false }
    guard let failedAt else { return date < paidUntil }
    return hasGrace && !isGraceOver && date < failedAt.adding(seconds: 60)
  }

  private var nextPrice: Milliunits {
    if let chosen { return chosen.prices.first ?? chosen.plan.price.amount }
    return offerPrices.first ?? plan.price.amount
  }

  private mutating func renew(from start: StoreDate) {
    let price = nextPrice
    offerPrices = Array((chosen?.prices ?? offerPrices).dropFirst())
    charge(chosen?.plan ?? plan, from: start, price)
  }

  private mutating func end() { (isOver, renews, chosen, failedAt, offerPrices) = (true, false, nil, nil, []) }

  mutating func advance(to date: StoreDate) {
    while !isOver, !isRefunded {
      guard let failedAt else {
        guard paidUntil <= date else { return }
        if !renews {
          end()
        } else if isCardValid || nextPrice == .zero {
          renew(from: paidUntil)
        } else {
          (self.failedAt, isGraceOver) = (paidUntil, !hasGrace)
        }
        continue
      }
      if !isGraceOver {
        guard failedAt.adding(seconds: 60) <= date else { return }
        isGraceOver = true
        if !renews { end() }
      } else {
        guard failedAt.adding(seconds: 120) <= date else { return }
        end()
      }
    }
  }

  mutating func fixCard(at date: StoreDate) {
    isCardValid = true
    guard failedAt != nil, renews, !isOver, !isRefunded else { return }
    let isLate = isGraceOver || paidUntil.adding(seconds: 60) <= date
    renew(from: isLate ? date : paidUntil)
  }

  /// - Returns: whether the purchase is possible.
  mutating func buy(_ bought: SubscriptionPlan, _ offer: SubscriptionOffer?, at date: StoreDate) -> Bool {
    let prices = offer.map { Array(repeating: $0.price, count: $0.numberOfPeriods) } ?? []
    let isAtOnce =
      !hasAccess(at: date) || bought.level < plan.level
      || bought.level == plan.level && bought.period == plan.period && bought.productID != plan.productID
    if isAtOnce {
      (isOver, isRefunded, renews) = (false, false, true)
      charge(bought, from: date, prices.first ?? bought.price.amount)
      offerPrices = Array(prices.dropFirst())
      return true
    }
    if bought.productID == plan.productID, offer == nil { return false }
    // A change of plan ends the offer of the plan before, once it begins.
    if bought.productID != plan.productID { chosen = (bought, prices) } else { offerPrices = prices }
    renews = true
    return true
  }
}

@Suite("A subscription and its model", .timeLimit(.minutes(10)))
struct SubscriptionModelTests {
  /// Plans with periods of one length, because the model does not know calendars.
  private static let plans = [ClubPlans.gold, ClubPlans.platinum, ClubPlans.silver, ClubPlans.free]
  private static let offer = ClubPlans.offer(.promotional, .payAsYouGo, "P1M", price: 990, periods: 2)

  @Test("A1 two thousand random histories of up to 200 steps charge the same and give the same access as a model")
  func histories() throws {
    for seed in 0..<UInt64(2_000) {
      var generator = SeededGenerator(seed: seed)
      try play(&generator, seed)
    }
  }

  private func play(_ generator: inout SeededGenerator, _ seed: UInt64) throws {
    var date = StoreDate("2026-01-01")
    let hasGrace = generator.next() % 2 == 0
    let rules = RenewalRules(rate: .oneRenewalEveryMinute, gracePeriod: hasGrace ? .standard : .off)
    let first = Self.plans[Int(generator.next() % 4)]
    var driven = DrivenSubscription(first, at: date, rules: rules)
    var model = SubscriptionModel(first, at: date, hasGrace: hasGrace)
    for step in 0..<Int(generator.next() % 200) {
      date = date.adding(seconds: Int64(generator.next() % 90))
      try driven.advance(to: date)
      model.advance(to: date)
      let plan = Self.plans[Int(generator.next() % 4)]
      switch generator.next() % 8 {
      case 0, 1:
        let offer = generator.next() % 3 == 0 ? Self.offer : nil
        let isPossible = model.buy(plan, offer, at: date)
        do {
          try driven.apply(.purchased(plan, offer: offer), at: date)
          #expect(isPossible, "seed \(seed), step \(step)")
        } catch SubscriptionError.alreadySubscribed {
          #expect(!isPossible, "seed \(seed), step \(step)")
        }
      case 2:
        (driven.canCharge, model.isCardValid) = (false, false)
      case 3, 4:
        driven.canCharge = true
        try driven.apply(
          .paymentMethodFixed(driven.plans[driven.subscription.renewalProductID]), at: date)
        model.fixCard(at: date)
      case 5 where driven.subscription.state == .active && driven.subscription.isAutoRenewOn:
        try driven.apply(.autoRenewChanged(isOn: false), at: date)
        (model.renews, model.chosen) = (false, nil)
      case 6 where driven.subscription.state == .active && !driven.subscription.isAutoRenewOn:
        try driven.apply(.autoRenewChanged(isOn: true), at: date)
        model.renews = true
      case 7 where generator.next() % 4 == 0 && driven.subscription.state == .active:
        try driven.apply(.refunded, at: date)
        (model.isRefunded, model.renews, model.chosen, model.offerPrices) = (true, false, nil, [])
      default: break
      }
      // A step makes at most three charges: at most 90 seconds pass, and each period has 60.
      let charges = driven.charges.suffix(4).map { "\($0.productID) \($0.start) \($0.end) \($0.price.amount)" }
      let isSame = charges == model.charges.suffix(4) && driven.charges.count == model.charges.count
      #expect(isSame, "seed \(seed), step \(step), \(driven.steps.suffix(4))")
      #expect(
        (driven.subscription.accessEnd > date) == model.hasAccess(at: date),
        "seed \(seed), step \(step), \(driven.subscription)")
      if !isSame { return }
    }
  }
}
