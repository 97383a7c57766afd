import Foundation
import StoreModel

@testable import AppStoreEmulator

/// What a history's customers have bought, and which notifications their servers must have received: written from the tables of
/// Apple's documentation (`app-store-server-api.md`, section 11; `signed-data.md`, sections 2 and 3).
///
/// It knows the customers' actions, whether the store accepted them, and the date. It reads nothing of the store.
struct ClubModel {
  struct SubscriptionKey: Hashable {
    let person: Person
    let group: SubscriptionGroupID
  }

  struct MassExtension {
    let id: UUID
    let environment: StoreEnvironment
    let plan: ClubCatalog.Plan
    let days: Int
    let dueDate: StoreDate
  }

  /// A notification that the present commit causes. Its contents are those of the end of the commit, except the renewal information
  /// of a subscription's step.
  struct Cause {
    let name: String
    let transaction: Int
    let subscription: ClubSubscription?
    let reason: String?
  }

  var now: StoreDate
  let graceSeconds: Int64?
  var transactions: [ClubTransaction] = []
  var subscriptions: [SubscriptionKey: ClubSubscription] = [:]
  var notForSale: Set<ProductID> = []
  var family: Set<Person> = [.ada]
  var prices = Dictionary(uniqueKeysWithValues: ClubCatalog.plans.map { ($0.id, $0.price) })
  var cannotPay: Set<Person> = []
  var massExtensions: [MassExtension] = []
  var causes: [Cause] = []
  var expected: [ExpectedNotification] = []

  init(now: StoreDate, graceSeconds: Int64?) { (self.now, self.graceSeconds) = (now, graceSeconds) }

  /// The notifications since the last call, in order.
  mutating func takeExpected() -> [ExpectedNotification] {
    defer { expected = [] }
    return expected
  }

  func price(_ product: ProductID) -> Int64 {
    prices[product] ?? ClubCatalog.oneTimeProduct(product)?.price.rawValue ?? 0
  }

  // MARK: Records

  func keys(of person: Person) -> [SubscriptionKey] {
    subscriptions.keys.filter { $0.person == person }
      .sorted { transactions[subscriptions[$0]!.current].original < transactions[subscriptions[$1]!.current].original }
  }

  func owns(_ person: Person, _ product: ProductID) -> Bool {
    transactions.contains { $0.person == person && $0.product == product && $0.isOwned(at: now) }
  }

  /// The subscription of a period, or of a share of one.
  func purchaser(of transaction: ClubTransaction) -> SubscriptionKey? {
    let bought = transaction.sharedFrom.map { transactions[$0] } ?? transaction
    return bought.plan.map { SubscriptionKey(person: bought.person, group: $0.group) }
  }

  /// The shares of a transaction that are not revoked.
  func shares(of number: Int) -> [Int] {
    transactions.filter { $0.sharedFrom == number && $0.revocation == nil }.map(\.number)
  }

  // MARK: Notifications

  /// Stores a subscription, and notes the notification of the step.
  mutating func step(_ name: String, _ key: SubscriptionKey, _ subscription: ClubSubscription) {
    subscriptions[key] = subscription
    causes.append(Cause(name: name, transaction: subscription.current, subscription: subscription, reason: nil))
  }

  mutating func note(_ name: String, _ transaction: Int, reason: String? = nil) {
    causes.append(Cause(name: name, transaction: transaction, subscription: nil, reason: reason))
  }

  mutating func commit() {
    for cause in causes {
      let transaction = transactions[cause.transaction]
      let subscription = cause.subscription ?? purchaser(of: transaction).flatMap { subscriptions[$0] }
      expected.append(
        ExpectedNotification(
          name: cause.name, date: now, transaction: transaction, status: subscription.map { status($0, transaction) },
          renewalInfo: subscription.map { renewalInfo($0, transaction) } ?? [:], reason: cause.reason,
          environment: transaction.person.environment))
    }
    causes = []
  }
}
