import AppStoreEmulator
import StoreModel

/// Two years of a monthly subscription with one kind of problem: the events, and the history that must result.
struct SubscriptionStory: Sendable {
  enum Action: Sendable {
    case buy(ProductID)
    case setPaymentMethod(Customer.PaymentMethod)
    case cancel
    case refund
  }

  /// An action, and the time from the beginning of the subscription to the action, in months and days.
  struct Event: Sendable {
    let months: Int
    let days: Int
    let action: Action

    init(_ action: Action, months: Int, days: Int = 0) {
      (self.action, self.months, self.days) = (action, months, days)
    }
  }

  let title: String
  let customer: AccountName
  let events: [Event]
  /// All steps of the history, oldest first.
  let steps: [SubscriptionStep]
  /// The products of all charges, oldest first.
  let charges: [ProductID]
  let refunds: Int
  let ending: RenewalRecord.State

  /// The number of months that a story lasts. The script then puts the clock forward by one more day.
  static let months = 24

  static let gold: ProductID = "com.example.club.gold.monthly"
  static let silver: ProductID = "com.example.club.silver.monthly"

  init(
    _ title: String, of customer: AccountName, _ events: [Event] = [], steps: [SubscriptionStep], charges: [ProductID],
    refunds: Int = 0, ending: RenewalRecord.State = .active
  ) {
    (self.title, self.customer, self.events) = (title, customer, events)
    (self.steps, self.charges, self.refunds, self.ending) = (steps, charges, refunds, ending)
  }

  private static func renewed(_ count: Int) -> [SubscriptionStep] { Array(repeating: .renewed, count: count) }
  private static func silver(_ count: Int) -> [ProductID] { Array(repeating: silver, count: count) }
  private static func gold(_ count: Int) -> [ProductID] { Array(repeating: gold, count: count) }

  /// All stories. Each subscription is monthly, with a grace period of 16 days and a billing retry period of 60 days.
  static let all = [
    SubscriptionStory(
      "Nothing happens: it renews each month", of: "club untroubled", steps: [.subscribed] + renewed(24),
      charges: silver(25)),
    SubscriptionStory(
      "The card is declined for 10 days: the grace period keeps access, and the renewal date stays", of: "club grace",
      [
        .init(.setPaymentMethod(.declined), months: 2, days: 20), .init(.setPaymentMethod(.valid), months: 3, days: 10),
      ],
      steps: [.subscribed] + renewed(2) + [.gracePeriodBegan, .recovered] + renewed(21), charges: silver(25)),
    SubscriptionStory(
      "The card is declined for 40 days: billing retry, and then a new renewal date", of: "club retry",
      [
        .init(.setPaymentMethod(.declined), months: 2, days: 20), .init(.setPaymentMethod(.valid), months: 3, days: 40),
      ],
      steps: [.subscribed] + renewed(2) + [.gracePeriodBegan, .gracePeriodEnded, .recovered] + renewed(19),
      charges: silver(23)),
    SubscriptionStory(
      "The card is declined for good: after 60 days it expires, and nothing more is charged", of: "club lapsed",
      [.init(.setPaymentMethod(.declined), months: 2, days: 20)],
      steps: [.subscribed] + renewed(2) + [.gracePeriodBegan, .gracePeriodEnded, .billingRetryEnded, .expired],
      charges: silver(3), ending: .expired),
    SubscriptionStory(
      "The customer cancels, and subscribes again two months later", of: "club cancelled",
      [.init(.cancel, months: 5, days: 3), .init(.buy(silver), months: 8)],
      steps: [.subscribed] + renewed(5) + [.autoRenewOff, .expired, .resubscribed] + renewed(16), charges: silver(23)),
    SubscriptionStory(
      "A period is refunded: the subscription ends at once, and can be bought again", of: "club refunded",
      [.init(.refund, months: 4, days: 5), .init(.buy(silver), months: 6)],
      steps: [.subscribed] + renewed(4) + [.autoRenewOff, .revoked, .resubscribed] + renewed(18), charges: silver(24),
      refunds: 1),
    SubscriptionStory(
      "The customer upgrades, and later goes back: the rest is refunded once, and the change back waits for the period's end",
      of: "club upgraded",
      [.init(.buy(gold), months: 2, days: 10), .init(.buy(silver), months: 6)],
      steps: [.subscribed] + renewed(2) + [.upgraded] + renewed(3) + [.planChosen] + renewed(18),
      charges: silver(3) + gold(4) + silver(18), refunds: 1),
  ]
}
