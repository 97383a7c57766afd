import StoreModel
import Testing

@testable import AppStoreEmulator

/// Tests the state machine of Documentation/subscriptions.md.
@Suite("A subscription's states", .timeLimit(.minutes(30)))
struct SubscriptionStateTests {
  let start = StoreDate("2026-01-31T10:00:00Z")
  let withGrace = RenewalRules(gracePeriod: .standard)

  @Test("A1 a monthly subscription renews on the day it began, or on the last day of a shorter month")
  func renews() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: start)
    try club.advance(to: StoreDate("2026-05-01"))
    #expect(club.charges.map(\.start.day) == ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"])
    #expect(club.charges.last?.end.day == "2026-05-31")
    #expect(club.charges.map(\.reason) == [.purchase, .renewal, .renewal, .renewal])
    #expect(club.steps == [.subscribed, .renewed, .renewed, .renewed])
  }

  @Test("A1 a cancelled subscription gives access until its period ends, and then expires")
  func cancelled() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: start)
    try club.apply(.autoRenewChanged(isOn: false), at: StoreDate("2026-02-10"))
    #expect(club.subscription.state == .active)
    #expect(club.subscription.accessEnd.day == "2026-02-28")
    try club.advance(to: StoreDate("2026-03-01"))
    #expect(club.subscription.state == .expired)
    #expect(club.subscription.expirationReason == .cancelled)
    #expect(club.charges.count == 1)
  }

  @Test("A1 a failed renewal within the grace period keeps access and the renewal date")
  func recoversInGrace() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: start, rules: withGrace)
    club.canCharge = false
    try club.advance(to: StoreDate("2026-03-05"))
    #expect(club.subscription.state == .gracePeriod)
    #expect(club.subscription.accessEnd.day == "2026-03-16")
    #expect(club.charges.last?.end.day == "2026-02-28", "the transaction's expiration date is not moved")
    club.canCharge = true
    try club.apply(.paymentMethodFixed(ClubPlans.gold), at: StoreDate("2026-03-10"))
    #expect(club.subscription.state == .active)
    #expect(club.charges.last?.start.day == "2026-02-28")
    #expect(club.charges.last?.end.day == "2026-03-31")
    #expect(club.steps.suffix(2) == [.gracePeriodBegan, .recovered])
  }

  @Test("A1 after the grace period there is no access, and a recovery begins a new period on its own date")
  func recoversInRetry() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: start, rules: withGrace)
    club.canCharge = false
    try club.advance(to: StoreDate("2026-03-20"))
    #expect(club.subscription.state == .billingRetry)
    #expect(club.subscription.accessEnd.day == "2026-02-28")
    club.canCharge = true
    try club.apply(.paymentMethodFixed(ClubPlans.gold), at: StoreDate("2026-04-05"))
    #expect(club.charges.last?.start.day == "2026-04-05")
    #expect(club.charges.last?.end.day == "2026-05-05")
  }

  @Test("A1 the store stops trying after 60 days, and the subscription expires because of billing")
  func retryEnds() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: start)
    club.canCharge = false
    try club.advance(to: StoreDate("2026-04-28"))
    #expect(club.subscription.state == .billingRetry)
    try club.advance(to: StoreDate("2026-04-29T10:00:00Z"))
    #expect(club.subscription.state == .expired)
    #expect(club.subscription.expirationReason == .billingError)
    #expect(club.steps == [.subscribed, .billingRetryBegan, .billingRetryEnded, .expired])
  }

  @Test(
    "A1 a grace period of another length than the standard ends at that date, also after the retry would have ended")
  func customGrace() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: start, rules: RenewalRules(gracePeriod: .seconds(70 * 86_400)))
    club.canCharge = false
    try club.advance(to: StoreDate("2026-05-01"))
    #expect(club.subscription.state == .gracePeriod)
    try club.advance(to: StoreDate("2026-05-10"))
    #expect(club.subscription.state == .expired)
  }

  @Test(
    "A1 turning renewal off in a grace period keeps its access; in billing retry the subscription expires at once, by the billing error"
  )
  func cancelledWhileRetrying() throws {
    var inGrace = DrivenSubscription(ClubPlans.gold, at: start, rules: withGrace)
    inGrace.canCharge = false
    try inGrace.apply(.autoRenewChanged(isOn: false), at: StoreDate("2026-03-05"))
    #expect(inGrace.subscription.state == .gracePeriod)
    #expect(inGrace.subscription.isRetrying == false)
    try inGrace.advance(to: StoreDate("2026-03-17"))
    #expect(inGrace.subscription.expirationReason == .cancelled)

    var inRetry = DrivenSubscription(ClubPlans.gold, at: start)
    inRetry.canCharge = false
    try inRetry.apply(.autoRenewChanged(isOn: false), at: StoreDate("2026-03-05"))
    #expect(inRetry.subscription.state == .expired)
    #expect(inRetry.subscription.expirationReason == .billingError)
  }

  @Test(
    "A1 in a grace period another plan, or an offer, begins and is charged at once, because the period was not paid")
  func boughtInGrace() throws {
    for (plan, offer) in [(ClubPlans.silver, nil), (ClubPlans.gold, ClubPlans.trialWeek)] {
      var club = DrivenSubscription(ClubPlans.gold, at: start, rules: withGrace)
      club.canCharge = false
      try club.apply(.autoRenewChanged(isOn: false), at: StoreDate("2026-03-05"))
      #expect(throws: SubscriptionError.alreadySubscribed) {
        try club.apply(.purchased(ClubPlans.gold, offer: nil), at: StoreDate("2026-03-05"))
      }
      #expect(throws: SubscriptionError.notActive) {
        try club.apply(.planChosen(ClubPlans.silver, offer: nil), at: StoreDate("2026-03-05"))
      }
      try club.apply(.purchased(plan, offer: offer), at: StoreDate("2026-03-06"))
      #expect(club.subscription.state == .active && club.subscription.isAutoRenewOn)
      #expect(club.charges.last?.start.day == "2026-03-06" && club.charges.last?.productID == plan.productID)
      #expect(club.refundedShares.isEmpty)
    }
  }

  @Test("A1 a subscription whose renewal is turned on again in the grace period is charged at its end")
  func turnedOnInGrace() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: start, rules: withGrace)
    club.canCharge = false
    try club.apply(.autoRenewChanged(isOn: false), at: StoreDate("2026-03-05"))
    club.canCharge = true
    try club.apply(.autoRenewChanged(isOn: true), at: StoreDate("2026-03-06"))
    try club.advance(to: StoreDate("2026-03-17"))
    #expect(club.subscription.state == .active && club.steps.last == .recovered)
  }

  @Test("A1 declining a price increase in billing retry ends the subscription, as turning renewal off does")
  func declinedInRetry() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: start)
    club.canCharge = false
    let price = Price(amount: Milliunits(12_000), currency: "USD")
    try club.apply(.priceIncreaseAnnounced(price, needsConsent: true), at: StoreDate("2026-03-05"))
    var recovered = club
    try club.apply(.priceIncreaseAnswered(isAgreed: false), at: StoreDate("2026-03-06"))
    #expect(club.subscription.state == .expired && club.subscription.expirationReason == .billingError)
    // If the failed period is charged instead, it has the old price, and the customer can still answer.
    recovered.canCharge = true
    try recovered.apply(.paymentMethodFixed(ClubPlans.gold), at: StoreDate("2026-03-07"))
    #expect(recovered.charges.last?.price.amount == Milliunits(9_990))
    #expect(recovered.subscription.priceIncrease?.isUnanswered == true)
  }

  @Test("A1 an upgrade begins at once, and refunds the rest of the current period")
  func upgrade() throws {
    var club = DrivenSubscription(ClubPlans.silver, at: StoreDate("2026-04-01"))
    try club.apply(.purchased(ClubPlans.gold, offer: nil), at: StoreDate("2026-04-11"))
    #expect(club.refundedShares == [66_666], "20 of 30 days, rounded down to a thousandth of a percent")
    #expect(club.subscription.productID == ClubPlans.gold.productID)
    #expect(club.charges.last?.start.day == "2026-04-11")
    #expect(club.charges.last?.reason == .purchase)
    #expect(club.steps == [.subscribed, .upgraded])
  }

  @Test("A1 a change to a plan of the same level and period begins at once; to another period, with the next period")
  func crossgrade() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: StoreDate("2026-04-01"))
    try club.apply(.purchased(ClubPlans.platinum, offer: nil), at: StoreDate("2026-04-16"))
    #expect(club.subscription.productID == ClubPlans.platinum.productID)
    #expect(club.refundedShares == [50_000])
    try club.apply(.purchased(ClubPlans.goldYearly, offer: nil), at: StoreDate("2026-04-20"))
    #expect(club.subscription.productID == ClubPlans.platinum.productID)
    try club.advance(to: StoreDate("2026-05-16"))
    #expect(club.subscription.productID == ClubPlans.goldYearly.productID)
    #expect(club.charges.last?.end.day == "2027-05-16")
    #expect(club.charges.last?.reason == .renewal)
  }

  @Test("A1 a downgrade begins with the next period, and is cancelled by choosing the current plan")
  func downgrade() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: StoreDate("2026-04-01"))
    try club.apply(.planChosen(ClubPlans.silver, offer: nil), at: StoreDate("2026-04-10"))
    try club.apply(.planChosen(ClubPlans.gold, offer: nil), at: StoreDate("2026-04-11"))
    try club.apply(.planChosen(ClubPlans.silver, offer: nil), at: StoreDate("2026-04-12"))
    try club.advance(to: StoreDate("2026-05-01"))
    #expect(club.charges.map(\.productID) == [ClubPlans.gold.productID, ClubPlans.silver.productID])
    #expect(club.charges.map(\.price.amount.rawValue) == [9_990, 4_990])
    #expect(club.refundedShares.isEmpty)
  }

  @Test("A1 an introductory week is free, and the months after it are counted from its end")
  func introductoryOffer() throws {
    var club = DrivenSubscription(ClubPlans.gold, offer: ClubPlans.trialWeek, at: StoreDate("2026-01-24"))
    try club.advance(to: StoreDate("2026-04-01"))
    #expect(club.charges.map(\.start.day) == ["2026-01-24", "2026-01-31", "2026-02-28", "2026-03-31"])
    #expect(club.charges.map(\.price.amount.rawValue) == [0, 9_990, 9_990, 9_990])
    #expect(club.charges.map { $0.offer?.kind } == [.introductory, nil, nil, nil])
  }

  @Test("A1 an offer for three months sets three prices; an offer paid up front sets one for its whole length")
  func paidOffers() throws {
    var months = DrivenSubscription(ClubPlans.gold, offer: ClubPlans.threeMonths, at: StoreDate("2026-01-01"))
    try months.advance(to: StoreDate("2026-05-01"))
    #expect(months.charges.map(\.price.amount.rawValue) == [1_990, 1_990, 1_990, 9_990, 9_990])
    var halfYear = DrivenSubscription(ClubPlans.gold, offer: ClubPlans.halfYear, at: StoreDate("2026-01-01"))
    try halfYear.advance(to: StoreDate("2026-07-01"))
    #expect(halfYear.charges.map(\.price.amount.rawValue) == [19_990, 9_990])
    #expect(halfYear.charges.map(\.end.day) == ["2026-07-01", "2026-08-01"])
  }

  @Test("A1 a promotional offer of an active subscription applies to its next periods")
  func redeemed() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: StoreDate("2026-01-01"))
    try club.apply(.purchased(ClubPlans.gold, offer: ClubPlans.threeMonths), at: StoreDate("2026-01-10"))
    try club.advance(to: StoreDate("2026-05-01"))
    #expect(club.charges.map(\.price.amount.rawValue) == [9_990, 1_990, 1_990, 1_990, 9_990])
  }

  @Test(
    "A1 a price increase that needs consent ends the subscription without it, and applies with it",
    arguments: [nil, true, false] as [Bool?])
  func priceIncrease(_ isAgreed: Bool?) throws {
    var club = DrivenSubscription(ClubPlans.gold, at: StoreDate("2026-01-01"))
    let price = Price(amount: Milliunits(12_990), currency: "USD")
    club.plans[ClubPlans.gold.productID] = ClubPlans.plan("gold.monthly", level: 1, "P1M", 12_990)
    try club.apply(.priceIncreaseAnnounced(price, needsConsent: true), at: StoreDate("2026-01-10"))
    if let isAgreed { try club.apply(.priceIncreaseAnswered(isAgreed: isAgreed), at: StoreDate("2026-01-11")) }
    try club.advance(to: StoreDate("2026-02-02"))
    if isAgreed == true {
      #expect(club.charges.last?.price == price)
      try club.advance(to: StoreDate("2026-03-02"))
      #expect(club.charges.last?.price == price, "it stays")
    } else {
      #expect(club.subscription.state == .expired)
      #expect(club.subscription.expirationReason == (isAgreed == nil ? .priceIncrease : .cancelled))
    }
  }

  @Test("A1 a price increase that only informs applies by itself; a higher price of the catalog does not")
  func priceIncreaseWithoutConsent() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: StoreDate("2026-01-01"))
    club.plans[ClubPlans.gold.productID] = ClubPlans.plan("gold.monthly", level: 1, "P1M", 12_990)
    try club.advance(to: StoreDate("2026-02-01"))
    #expect(club.charges.last?.price.amount.rawValue == 9_990)
    try club.apply(
      .priceIncreaseAnnounced(Price(amount: Milliunits(12_990), currency: "USD"), needsConsent: false),
      at: StoreDate("2026-02-02"))
    try club.advance(to: StoreDate("2026-03-01"))
    #expect(club.charges.last?.price.amount.rawValue == 12_990)
    club.plans[ClubPlans.gold.productID] = ClubPlans.plan("gold.monthly", level: 1, "P1M", 7_990)
    try club.advance(to: StoreDate("2026-04-01"))
    #expect(club.charges.last?.price.amount.rawValue == 7_990, "a lower price applies")
  }

  @Test("A1 a subscription whose product is no longer sold expires at its renewal")
  func withdrawn() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: StoreDate("2026-01-01"))
    club.plans = [:]
    try club.advance(to: StoreDate("2026-02-01"))
    #expect(club.subscription.expirationReason == .productUnavailable)
  }

  @Test("A1 a refund of the current period ends access; its reversal gives it back until the unchanged renewal date")
  func refunded() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: StoreDate("2026-01-01"))
    try club.apply(.refunded, at: StoreDate("2026-01-10"))
    #expect(club.subscription.state == .revoked)
    #expect(club.subscription.accessEnd <= StoreDate("2026-01-10"))
    try club.apply(.refundReversed, at: StoreDate("2026-01-20"))
    #expect(club.subscription.state == .active)
    #expect(club.subscription.accessEnd.day == "2026-02-01")
    #expect(!club.subscription.isAutoRenewOn)
    try club.advance(to: StoreDate("2026-02-01"))
    #expect(club.charges.count == 1)
  }

  @Test("A1 an extension moves the renewal date, and later periods are counted from there")
  func extended() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: StoreDate("2026-01-01"))
    try club.apply(.renewalDateExtended(to: StoreDate("2026-02-15")), at: StoreDate("2026-01-10"))
    #expect(throws: SubscriptionError.notLater) {
      try club.apply(.renewalDateExtended(to: StoreDate("2026-02-14")), at: StoreDate("2026-01-11"))
    }
    try club.advance(to: StoreDate("2026-04-01"))
    #expect(club.charges.map(\.start.day) == ["2026-01-01", "2026-02-15", "2026-03-15"])
  }

  @Test("A1 a lapsed customer subscribes again with a new period; the current plan cannot be bought twice")
  func resubscribes() throws {
    var club = DrivenSubscription(ClubPlans.gold, at: StoreDate("2026-01-01"))
    #expect(throws: SubscriptionError.alreadySubscribed) {
      try club.apply(.purchased(ClubPlans.gold, offer: nil), at: StoreDate("2026-01-02"))
    }
    try club.apply(.autoRenewChanged(isOn: false), at: StoreDate("2026-01-03"))
    try club.apply(.purchased(ClubPlans.gold, offer: ClubPlans.halfYear), at: StoreDate("2026-03-01"))
    #expect(club.steps == [.subscribed, .autoRenewOff, .expired, .resubscribed])
    #expect(club.charges.last?.end.day == "2026-09-01")
    #expect(club.subscription.isAutoRenewOn)
  }

  @Test("A1 a free subscription renews without a charge, also while the payment method is invalid")
  func free() throws {
    var club = DrivenSubscription(ClubPlans.free, at: StoreDate("2026-01-01"))
    club.canCharge = false
    try club.advance(to: StoreDate("2026-06-15"))
    #expect(club.charges.count == 6)
    #expect(club.charges.allSatisfy { $0.price.amount == .zero })
    #expect(club.subscription.state == .active)
  }
}
