import StoreModel

@testable import AppStoreEmulator

/// What the club of the agreement tests sells. Periods are weeks and days, so that a model needs no calendar.
enum ClubCatalog {
  struct Plan: Hashable {
    let id: ProductID
    let group: SubscriptionGroupID
    let level: Int
    let weeks: Int
    /// In milliunits, before price increases.
    let price: Int64
    var isShared = true
    var hasTrial = false

    var period: CalendarPeriod { CalendarPeriod(value: weeks, unit: .week) }

    var offers: [SubscriptionOffer] {
      guard price > 0 else { return [] }
      func offer(
        _ kind: SubscriptionOffer.Kind, _ name: String?, _ mode: SubscriptionOffer.PaymentMode,
        _ period: CalendarPeriod, count: Int = 1, price: Int64
      ) -> SubscriptionOffer {
        SubscriptionOffer(
          kind: kind, identifier: name.map { "\(id).\($0)" }, paymentMode: mode, period: period, numberOfPeriods: count,
          price: Milliunits(price), eligibility: kind == .offerCode ? [.new, .existing, .expired] : [])
      }
      let trial = offer(.introductory, nil, .freeTrial, CalendarPeriod(value: 3, unit: .day), price: 0)
      return (hasTrial ? [trial] : []) + [
        offer(.promotional, "half", .payAsYouGo, period, count: 2, price: price / 20 * 10),
        offer(.offerCode, "code", .payUpFront, CalendarPeriod(value: 3, unit: .week), price: price * 2),
        offer(.winBack, "back", .payAsYouGo, period, price: price / 30 * 10),
      ]
    }
  }

  static let plans = [
    Plan(id: "gold", group: "club", level: 1, weeks: 1, price: 9_990, hasTrial: true),
    Plan(id: "platinum", group: "club", level: 1, weeks: 1, price: 14_990),
    Plan(id: "gold.fortnight", group: "club", level: 1, weeks: 2, price: 17_990),
    Plan(id: "silver", group: "club", level: 2, weeks: 1, price: 4_990),
    Plan(id: "basic", group: "club", level: 3, weeks: 1, price: 0),
    Plan(id: "news", group: "news", level: 1, weeks: 1, price: 990, isShared: false),
  ]

  static let oneTimeProducts: [ProductDefinition] = [
    ProductDefinition(productID: "oolong", type: .consumable, price: Milliunits(1_990)),
    ProductDefinition(productID: "sencha", type: .consumable, price: Milliunits(750)),
    ProductDefinition(productID: "teapot", type: .nonConsumable, price: Milliunits(24_000)),
    ProductDefinition(productID: "samovar", type: .nonConsumable, price: Milliunits(48_000), isFamilyShareable: true),
    ProductDefinition(productID: "season", type: .nonRenewingSubscription, price: Milliunits(9_000)),
  ]

  static func plan(_ id: ProductID) -> Plan? { plans.first { $0.id == id } }

  static func oneTimeProduct(_ id: ProductID) -> ProductDefinition? { oneTimeProducts.first { $0.productID == id } }

  static let definitions: [ProductDefinition] =
    oneTimeProducts
    + plans.map { plan in
      ProductDefinition(
        productID: plan.id, type: .autoRenewableSubscription, price: Milliunits(plan.price),
        isFamilyShareable: plan.isShared,
        subscription: SubscriptionTerms(
          groupID: plan.group, groupLevel: plan.level, period: plan.period, offers: plan.offers))
    }
}

/// A customer in one environment.
struct Person: Hashable, CustomStringConvertible {
  let name: AccountName
  let environment: StoreEnvironment
  /// The version of the app on the person's phone.
  let version: String

  /// A family of two in the sandbox, and another customer in production.
  static let ada = Person(name: "ada", environment: .sandbox, version: "3.1")
  static let bob = Person(name: "bob", environment: .sandbox, version: "3.2")
  static let cleo = Person(name: "cleo", environment: .production, version: "3.3")
  static let all = [ada, bob, cleo]

  var description: String { name.rawValue }
}
