import StoreModel

@testable import AppStoreEmulator

/// Plans of a club: two levels, each monthly and yearly, and a third level that is free.
enum ClubPlans {
  static let gold = plan("gold.monthly", level: 1, "P1M", 9_990)
  static let goldYearly = plan("gold.yearly", level: 1, "P1Y", 99_990)
  static let platinum = plan("platinum.monthly", level: 1, "P1M", 14_990)
  static let silver = plan("silver.monthly", level: 2, "P1M", 4_990)
  static let silverWeekly = plan("silver.weekly", level: 2, "P1W", 1_990)
  static let free = plan("free.monthly", level: 3, "P1M", 0)
  static let all = [gold, goldYearly, platinum, silver, silverWeekly, free]

  static func plan(_ id: String, level: Int, _ period: String, _ price: Int64) -> SubscriptionPlan {
    SubscriptionPlan(
      productID: ProductID(id), level: level, period: CalendarPeriod(iso8601: period)!,
      price: Price(amount: Milliunits(price), currency: "USD"))
  }

  static let trialWeek = offer(.introductory, .freeTrial, "P1W", price: 0)
  static let threeMonths = offer(.promotional, .payAsYouGo, "P1M", price: 1_990, periods: 3)
  static let halfYear = offer(.winBack, .payUpFront, "P6M", price: 19_990)

  static func offer(
    _ kind: SubscriptionOffer.Kind, _ mode: SubscriptionOffer.PaymentMode, _ period: String, price: Int64,
    periods: Int = 1
  ) -> SubscriptionOffer {
    SubscriptionOffer(
      kind: kind, identifier: kind == .introductory ? nil : "\(kind)", paymentMode: mode,
      period: CalendarPeriod(iso8601: period)!, numberOfPeriods: periods, price: Milliunits(price))
  }
}

/// A subscription that is driven through events, with everything that the store would have recorded.
struct DrivenSubscription {
  var rules: RenewalRules
  private(set) var subscription: Subscription
  private(set) var charges: [PeriodCharge] = []
  private(set) var steps: [SubscriptionStep] = []
  private(set) var refundedShares: [Int] = []
  /// The plans that are on sale, by product.
  var plans = Dictionary(uniqueKeysWithValues: ClubPlans.all.map { ($0.productID, $0) })
  var canCharge = true

  init(
    _ plan: SubscriptionPlan, offer: SubscriptionOffer? = nil, at date: StoreDate, rules: RenewalRules = RenewalRules()
  ) {
    self.rules = rules
    let (subscription, effects) = Subscription.begin(plan, offer: offer, at: date, rules)
    self.subscription = subscription
    take(effects)
  }

  /// Settles everything that is due before `date` or at it, and then applies `event`.
  mutating func apply(_ event: SubscriptionEvent, at date: StoreDate) throws {
    try advance(to: date)
    take(try subscription.apply(event, at: date, rules))
  }

  /// Settles everything that is due before `date` or at it.
  mutating func advance(to date: StoreDate) throws {
    while let due = subscription.dueDate, due <= date {
      take(try subscription.apply(.due(plans[subscription.renewalProductID], canCharge: canCharge), at: due, rules))
    }
  }

  private mutating func take(_ effects: [SubscriptionEffect]) {
    for effect in effects {
      switch effect {
      case .charge(let charge): charges.append(charge)
      case .upgradeCurrent(let share): refundedShares.append(share)
      case .moveEnd(let date): charges[charges.count - 1] = charges[charges.count - 1].ending(at: date)
      case .record(let step): steps.append(step)
      }
    }
  }
}

extension StoreDate {
  /// A date of UTC, such as `2026-01-31` or `2026-01-31T10:00:00Z`.
  init(_ text: String) { self.init(millisecondsSince1970: StoreDate(typed: text)!.millisecondsSince1970) }

  /// The day in UTC, such as `2026-01-31`.
  var day: String { String(description.prefix(10)) }
}

extension PeriodCharge {
  fileprivate func ending(at date: StoreDate) -> PeriodCharge {
    PeriodCharge(productID: productID, start: start, end: date, price: price, reason: reason, offer: offer)
  }
}
