import APIDescription
import AppStoreEmulator
import ControlAPI
import Foundation
import StoreModel

/// The part of the script about subscriptions, requirement A1. A monthly subscription runs for two years of the store's
/// clock, once for each kind of problem.
final class SubscriptionScript: ScriptPart {
  private static let app: BundleID = "com.example.club"
  private var subscriptions: [AccountName: TransactionID] = [:]

  func run() async throws {
    beginChapter("Two years of a monthly subscription, under each kind of trouble")
    explain("The store's clock is put forward from event to event. All subscriptions live at the same time.")
    try await store.serve(Self.app, catalog: Data(PackageResources.Club_storekit))
    for story in SubscriptionStory.all {
      try await store.add(story.customer)
      subscriptions[story.customer] = try await store.buy(
        SubscriptionStory.silver, of: Self.app, for: story.customer
      ).transactionId
    }
    try await live(from: try await store.now())
    for story in SubscriptionStory.all { try await check(story) }
  }

  /// Carries out the events of all stories in the order of their dates, and puts the clock forward to the end.
  private func live(from start: StoreDate) async throws {
    func date(months: Int, days: Int) -> StoreDate {
      let month = CalendarPeriod(value: 1, unit: .month)
      return (months == 0 ? start : month.end(from: start, count: months)).adding(seconds: Int64(days) * 86_400)
    }
    let events = SubscriptionStory.all.flatMap { story in
      story.events.map { (date: date(months: $0.months, days: $0.days), action: $0.action, customer: story.customer) }
    }
    for event in events.sorted(by: { $0.date < $1.date }) {
      try await store.setClock(to: event.date)
      try await carryOut(event.action, for: event.customer)
    }
    try await store.setClock(to: date(months: SubscriptionStory.months, days: 1))
  }

  private func carryOut(_ action: SubscriptionStory.Action, for customer: AccountName) async throws {
    switch action {
    case .buy(let product): _ = try await store.buy(product, of: Self.app, for: customer)
    case .setPaymentMethod(let method): try await store.change(CustomerChange(paymentMethod: method), of: customer)
    case .cancel: try await store.setAutoRenew(of: try subscription(of: customer), isOn: false)
    case .refund:
      let current = try await store.subscription(try subscription(of: customer)).subscription.lastTransactionId
      try await store.refund(current)
    }
  }

  private func subscription(of customer: AccountName) throws -> TransactionID {
    guard let id = subscriptions[customer] else { throw DemoFailure("\(customer) has no subscription.") }
    return id
  }

  private func check(_ story: SubscriptionStory) async throws {
    explain(story.title)
    let id = try subscription(of: story.customer)
    let shown = try await store.subscription(id)
    check("every line of its history is right, \(story.steps.count) in all", shown.history.map(\.step) == story.steps)
    check("after two years it is \(story.ending.rawValue)", shown.subscription.state == story.ending)
    let (transactions, charges, refunds) = try await store.records(of: story.customer)
    check(
      "each period is one transaction and one charge, \(story.charges.count) in all",
      charges.map(\.productId) == story.charges && transactions.map(\.productId) == story.charges
        && charges.map(\.transactionId) == transactions.map(\.transactionId))
    check(
      "all have the first transaction as their original", transactions.allSatisfy { $0.originalTransactionId == id })
    check("\(story.refunds) refunded", refunds.count == story.refunds)
    let periods = transactions.filter { $0.upgradeDate == nil && $0.revocationDate == nil }
    let areApart = zip(periods, periods.dropFirst()).allSatisfy { earlier, later in
      earlier.expiresDate.map { $0 <= later.purchaseDate } ?? false
    }
    check("no two periods overlap", areApart)
  }
}
