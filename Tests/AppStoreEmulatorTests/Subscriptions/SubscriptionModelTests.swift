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
  var paidPrice = Milliunits.zero
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
  /// An announced price, and whether the customer still has to agree.
  var increase: (price: Milliunits, isOpen: Bool)?
  var charges: [String] = []

  init(_ plan: SubscriptionPlan, at date: StoreDate, hasGrace: Bool) {
    (self.plan, paidFrom, paidUntil, self.hasGrace) = (plan, date, date, hasGrace)
    charge(plan, from: date, plan.price.amount)
  }

  private mutating func charge(_ plan: SubscriptionPlan, from start: StoreDate, _ price: Milliunits) {
    self.plan = plan
    (paidFrom, paidUntil, failedAt, isGraceOver, chosen) = (start, start.adding(seconds: 60), nil, false, nil)
    if increase?.isOpen == false { increase = nil }
    paidPrice = price
    charges.append("\(plan.productID) \(start) \(paidUntil) \(price)")
  }

  func hasAccess(at date: StoreDate) -> Bool {
    guard !isOver, !isRefunded else { return false }
    guard let failedAt else { return date < paidUntil }
    return hasGrace && !isGraceOver && date < failedAt.adding(seconds: 60)
  }

  private var nextPrice: Milliunits {
    if let chosen { return chosen.prices.first ?? chosen.plan.price.amount }
    if let price = offerPrices.first { return price }
    if let increase, !increase.isOpen { return increase.price }
    return plan.price.amount
  }

  private mutating func renew(from start: StoreDate) {
    let price = nextPrice
    if chosen != nil { increase = nil }
    offerPrices = Array((chosen?.prices ?? offerPrices).dropFirst())
    charge(chosen?.plan ?? plan, from: start, price)
  }

  private mutating func end() {
    (isOver, renews, chosen, failedAt, offerPrices, increase) = (true, false, nil, nil, [], nil)
  }

  mutating func advance(to date: StoreDate) {
    while !isOver, !isRefunded {
      guard let failedAt else {
        guard paidUntil <= date else { return }
        if !renews || chosen == nil && increase?.isOpen == true {
          end()
        } else if isCardValid || nextPrice == .zero {
          renew(from: paidUntil)
        } else {
          (self.failedAt, isGraceOver) = (paidUntil, !hasGrace)
        }
        continue
      }
      if !isGraceOver {
        let graceEnd = failedAt.adding(seconds: 60)
        guard graceEnd <= date else { return }
        if renews, isCardValid {
          renew(from: graceEnd)
          continue
        }
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
    let isInGrace = failedAt != nil && hasAccess(at: date)
    if isInGrace, bought.productID == plan.productID, offer == nil { return false }
    let isAtOnce =
      isInGrace || !hasAccess(at: date) || bought.level < plan.level
      || bought.level == plan.level && bought.period == plan.period && bought.productID != plan.productID
    if isAtOnce {
      (isOver, isRefunded, renews, increase) = (false, false, true, nil)
      charge(bought, from: date, prices.first ?? bought.price.amount)
      offerPrices = Array(prices.dropFirst())
      return true
    }
    if bought.productID == plan.productID, offer == nil { return false }
    // A change of plan ends the offer of the plan before, once it begins.
    if bought.productID != plan.productID {
      chosen = (bought, prices)
    } else {
      (chosen, offerPrices) = (nil, prices)
    }
    renews = true
    return true
  }

  mutating func cancel() {
    guard renews, !isOver, !isRefunded else { return }
    (renews, chosen) = (false, nil)
    if failedAt != nil, isGraceOver { end() }
  }

  mutating func refund() {
    guard !isRefunded else { return }
    (isRefunded, renews, chosen, offerPrices, increase) = (true, false, nil, [], nil)
  }

  mutating func reverseRefund(at date: StoreDate) {
    guard isRefunded else { return }
    isRefunded = false
    if paidUntil > date { (failedAt, isOver) = (nil, false) } else { end() }
  }

  mutating func extend(to date: StoreDate) {
    paidUntil = date
    charges[charges.count - 1] = "\(plan.productID) \(paidFrom) \(paidUntil) \(paidPrice)"
  }
}

@Suite("A subscription and its model", .timeLimit(.minutes(30)))
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
      switch generator.next() % 11 {
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
      case 5:
        let isOn = generator.next() % 2 == 0
        do {
          try driven.apply(.autoRenewChanged(isOn: isOn), at: date)
          if isOn { model.renews = true } else { model.cancel() }
        } catch SubscriptionError.notActive {
          #expect(model.isOver || model.isRefunded, "seed \(seed), step \(step)")
        }
      case 6 where generator.next() % 4 == 0:
        try driven.apply(.refunded, at: date)
        model.refund()
      case 7:
        try driven.apply(.refundReversed, at: date)
        model.reverseRefund(at: date)
      case 8 where driven.subscription.state == .active:
        let end = driven.subscription.period.end.adding(seconds: 1 + Int64(generator.next() % 100))
        try driven.apply(.renewalDateExtended(to: end), at: date)
        model.extend(to: end)
      case 9 where driven.subscription.isRunning:
        let price = Price(amount: Milliunits(20_000), currency: plan.price.currency)
        let isOpen = generator.next() % 2 == 0 && model.increase?.isOpen != false
        try driven.apply(.priceIncreaseAnnounced(price, needsConsent: isOpen), at: date)
        model.increase = (price.amount, isOpen)
      case 10 where driven.subscription.isRunning && model.increase?.isOpen == true:
        let isAgreed = generator.next() % 2 == 0
        try driven.apply(.priceIncreaseAnswered(isAgreed: isAgreed), at: date)
        if isAgreed { model.increase?.isOpen = false } else { model.cancel() }
      default: break
      }
      // A step makes at most three charges: at most 90 seconds pass, and each period has 60.
      let charges = driven.charges.suffix(4).map { "\($0.productID) \($0.start) \($0.end) \($0.price.amount)" }
      let isSame = charges == model.charges.suffix(4) && driven.charges.count == model.charges.count
      #expect(isSame, "seed \(seed), step \(step), \(driven.steps.suffix(4))")
      #expect(
        driven.subscription.hasAccess == model.hasAccess(at: date)
          && (driven.subscription.accessEnd > date) == model.hasAccess(at: date),
        "seed \(seed), step \(step), \(driven.subscription)")
      if !isSame { return }
    }
  }
}
