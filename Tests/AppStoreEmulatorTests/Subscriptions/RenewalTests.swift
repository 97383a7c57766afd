import GRDB
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Tests the subscriptions of the store: what is recorded, charged and delivered as its clock moves on.
@Suite("Renewals", .timeLimit(.minutes(30)))
struct RenewalTests {
  /// Subscribes a customer to the monthly plan, and finishes the first transaction.
  private func subscribed(
    _ product: ProductID = TeaShop.monthly, rules: RenewalRules = RenewalRules()
  ) async throws -> (shop: TeaShop, phone: Phone, original: TransactionID) {
    let shop = try await TeaShop.lasting()
    try await shop.store.setRenewalRules(rules, of: TeaShop.app)
    let phone = try await shop.phone()
    let first = try #require(try await shop.buy(product, on: phone).deliveries.first).signed.transactionID
    try await shop.store.finish(first, for: phone.id)
    return (shop, phone, first)
  }

  private func advance(_ shop: TeaShop, days: Int64) async throws {
    try await shop.store.changeClock(.advance(milliseconds: days * 86_400_000))
  }

  private func records(_ shop: TeaShop) async throws -> [TransactionRecord] {
    try await shop.store.transactions().map(\.record).reversed()
  }

  @Test("a cancelled call does not wait until all renewals are settled; the next call settles the others")
  func cancellation() async throws {
    let (shop, _, _) = try await subscribed(rules: RenewalRules(rate: .oneRenewalEveryTwoSeconds))
    // A stopped clock has no timer, which would settle them meanwhile.
    try await shop.store.changeClock(rate: 0)
    try await shop.store.changeClock(.advance(milliseconds: 1_000_000))
    let store = shop.store
    let call = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.transactionCount()
    }
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(try await store.transactionCount() == 501)
  }

  @Test("A1 each renewal is one transaction and one charge, without a gap, and reaches the open app")
  func renews() async throws {
    let (shop, phone, original) = try await subscribed()
    try await advance(shop, days: 95)
    let records = try await records(shop)
    #expect(records.map(\.purchaseDate.day) == ["2026-07-01", "2026-08-01", "2026-09-01", "2026-10-01"])
    #expect(records.map(\.expiresDate) == records.dropFirst().map(\.purchaseDate) + [StoreDate("2026-11-01T12:00:00Z")])
    #expect(records.map(\.reason) == [.purchase, .renewal, .renewal, .renewal])
    #expect(Set(records.map(\.originalTransactionID)) == [original])
    #expect(Set(records.map(\.webOrderLineItemID)).count == 4)
    #expect(try await shop.store.charges().map(\.transactionID).reversed() == records.map(\.transactionID))
    let waiting = try await shop.store.unfinished(for: phone.id)
    #expect(try waiting.deliveries.map { try $0.signed.transactionID } == records.dropFirst().map(\.transactionID))
  }

  @Test("A1 B4 a renewal whose owner has signed out of the installation is delivered to another one of the owner")
  func signedOut() async throws {
    let (shop, phone, _) = try await subscribed()
    let tablet = try await shop.phone("tablet")
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    _ = try await shop.store.signIn(SignInCredentials(account: "bob"), on: phone.id)
    try await advance(shop, days: 32)
    #expect(try await records(shop).count == 2)
    func changes(_ phone: Phone) async throws -> [StoreChange] {
      try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id).changes
    }
    #expect(try await changes(tablet) == [StoreChange(.transactionsWaiting)])
    #expect(try await changes(phone).isEmpty)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.isEmpty)
    let delivered = try await shop.store.unfinished(for: tablet.id).deliveries
    #expect(try delivered.map { try $0.signed.reason } == [.renewal] && delivered.map(\.account) == [nil])
    // What was delivered to the first installation before stays there, and names its owner.
    try await shop.store.signOut(on: tablet.id)
    #expect(try await shop.store.unfinished(for: tablet.id).deliveries.map(\.account) == [TeaShop.customer])
    // The next period follows the last one; while its owner is signed in nowhere, it waits for the first that asks.
    try await advance(shop, days: 31)
    #expect(try await shop.store.unfinished(for: tablet.id).deliveries.count == 1)
    _ = try await shop.store.signIn(SignInCredentials(account: TeaShop.customer), on: phone.id)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.count == 1)
  }

  @Test("A1 the clock advanced in one step or in a thousand leaves the same records")
  func steps() async throws {
    let (once, _, _) = try await subscribed()
    try await advance(once, days: 1_000)
    let (often, _, _) = try await subscribed()
    for _ in 0..<1_000 { try await advance(often, days: 1) }
    #expect(try await records(once) == records(often))
    #expect(try await once.store.charges() == often.store.charges())
    #expect(try await records(once).count == 33)
  }

  @Test("A1 a cancelled subscription expires at its end, and is bought again in the same chain")
  func cancelled() async throws {
    let (shop, phone, original) = try await subscribed()
    try await shop.store.setAutoRenew(ofSubscription: original, isOn: false)
    try await advance(shop, days: 40)
    let ended = try await shop.store.subscription(original)
    #expect(ended.state == .expired && ended.expirationIntent == 1)
    #expect(try await shop.store.charges().count == 1)
    await #expect(throws: AppStoreEmulatorError.self) {
      try await shop.store.setAutoRenew(ofSubscription: original, isOn: true)
    }
    _ = try await shop.buy(TeaShop.monthly, as: "payment 2", on: phone)
    let again = try await shop.store.subscription(original)
    #expect(again.state == .active && again.isAutoRenewOn)
    #expect(try await records(shop).last?.originalTransactionID == original)
    #expect(
      try await shop.store.history(ofSubscription: original).map(\.step) == [
        .subscribed, .autoRenewOff, .expired, .resubscribed,
      ])
  }

  @Test("A1 a declined renewal keeps access in the grace period, and is charged once when the card works again")
  func grace() async throws {
    let (shop, phone, original) = try await subscribed(rules: RenewalRules(gracePeriod: .standard))
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    try await advance(shop, days: 35)
    let inGrace = try await shop.store.subscription(original)
    #expect(inGrace.state == .gracePeriod)
    #expect(inGrace.accessEnd.day == "2026-08-17" && inGrace.periodEnd.day == "2026-08-01")
    await #expect(throws: StoreRefusal.self) { _ = try await shop.quote(TeaShop.monthly, as: "payment 2", on: phone) }
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    let recovered = try await shop.store.subscription(original)
    #expect(recovered.state == .active && recovered.periodEnd.day == "2026-09-01")
    #expect(try await shop.store.charges().count == 2)
    try await advance(shop, days: 30)
    #expect(try await shop.store.charges().count == 3)
  }

  @Test("A1 H1 a period that begins with a recovery begins at a whole second, as receipts show it")
  func recoveryDate() async throws {
    let (shop, _, _) = try await subscribed()
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    try await advance(shop, days: 40)
    try await shop.store.changeClock(.advance(milliseconds: 777))
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .valid }
    let dates = try await records(shop).flatMap { [$0.purchaseDate, $0.expiresDate].compactMap(\.self) }
    #expect(dates.count == 4 && dates.allSatisfy { $0 == $0.wholeSeconds })
  }

  @Test("A1 a subscription that cannot be charged for 60 days expires, and nothing is charged")
  func retry() async throws {
    let (shop, _, original) = try await subscribed()
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    try await advance(shop, days: 80)
    #expect(try await shop.store.subscription(original).state == .billingRetry)
    try await advance(shop, days: 20)
    let expired = try await shop.store.subscription(original)
    #expect(expired.state == .expired && expired.expirationIntent == 2)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("A1 a refund of the current period ends the subscription; of an earlier one it does not")
  func refunded() async throws {
    let (shop, _, original) = try await subscribed()
    try await advance(shop, days: 40)
    try await shop.store.refund(original)
    #expect(try await shop.store.subscription(original).state == .active)
    let current = try await shop.store.subscription(original).currentTransactionID
    try await shop.store.refund(current)
    #expect(try await shop.store.subscription(original).state == .revoked)
    try await advance(shop, days: 60)
    #expect(try await shop.store.charges().count == 2)
    try await shop.store.reverseRefund(of: current)
    #expect(try await shop.store.subscription(original).state == .expired)
  }

  @Test("D1 a refund of a running period is not reversed after a later period was bought and refunded, too")
  func reversalOfEarlierPeriod() async throws {
    let (shop, phone, first) = try await subscribed()
    try await shop.store.refund(first)
    try await advance(shop, days: 3)
    let batch = try await shop.buy(TeaShop.monthly, as: "payment 2", on: phone)
    let second = try #require(batch.deliveries.first).signed.transactionID
    try await shop.store.refund(second)
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.reverseRefund(of: first) }
    #expect(try await shop.store.subscription(first).state == .revoked)
    try await shop.store.reverseRefund(of: second)
    #expect(try await shop.store.subscription(first).state == .active)
    try await advance(shop, days: 40)
    // Ended long ago, so only the money is returned to the store.
    try await shop.store.reverseRefund(of: first)
  }

  @Test("A1 the refund of a period that has ended is reversed while the subscription goes on")
  func reversedLater() async throws {
    let (shop, _, first) = try await subscribed()
    try await advance(shop, days: 32)
    try await shop.store.refund(first)
    try await shop.store.reverseRefund(of: first)
    #expect(try await shop.store.transaction(first).refunds.map(\.amount.rawValue).reduce(0, +) == 0)
    #expect(try await shop.store.subscription(first).state == .active)
  }

  @Test("A1 a renewal that cannot be signed is tried again a day later, and then has its own dates")
  func postponed() async throws {
    let (shop, _, original) = try await subscribed()
    let sequence = try await shop.store.database.write { work in
      let sequence = try Int64.fetchOne(work.database, sql: "SELECT nextSequence FROM store")
      // The epoch has no transaction numbers left.
      try work.database.execute(sql: "UPDATE store SET nextSequence = 1000000000")
      return sequence
    }
    try await advance(shop, days: 32)
    #expect(try await records(shop).count == 1)
    let details = try await shop.store.subscription(original)
    #expect(details.state == .active && details.nextEventDate == StoreDate("2026-08-03T12:00:00Z"))
    try await shop.store.database.write { work in
      try work.database.execute(sql: "UPDATE store SET nextSequence = ?", arguments: [sequence])
    }
    try await advance(shop, days: 1)
    let renewal = try #require(try await records(shop).last)
    #expect(renewal.purchaseDate == StoreDate("2026-08-01T12:00:00Z"))
    #expect(renewal.expiresDate == StoreDate("2026-09-01T12:00:00Z"))
  }

  @Test("A1 a free subscription renews without charges until it is cancelled")
  func free() async throws {
    let (shop, _, original) = try await subscribed(TeaShop.news)
    try await advance(shop, days: 21)
    #expect(try await records(shop).count == 4)
    #expect(try await shop.store.charges().isEmpty)
    #expect(try await shop.store.subscription(original).isAutoRenewOn)
  }

  @Test("A1 a family member shares each period of a shared subscription")
  func family() async throws {
    let (shop, _, _) = try await subscribed(TeaShop.yearly)
    for name in ["customer", "bob"] as [AccountName] {
      if name == "bob" { try await shop.store.addCustomer(Customer(environment: .sandbox, name: name)) }
      try await shop.store.changeCustomer(name, .sandbox) { $0.family = "tea" }
    }
    try await advance(shop, days: 370)
    let shares = try await shop.store.transactions().filter { $0.account == "bob" }
    #expect(shares.count == 2)
    #expect(Set(shares.map(\.record.originalTransactionID)).count == 1)
    #expect(try await shop.store.charges().count == 2)
  }

  @Test("A1 renewals are part of a snapshot, and go on after it is restored; a reset ends them")
  func snapshot() async throws {
    let (shop, _, original) = try await subscribed()
    let snapshot = try await shop.store.snapshot()
    try await advance(shop, days: 40)
    try await shop.store.restore(snapshot)
    #expect(try await shop.store.subscription(original).state == .active)
    #expect(try await records(shop).count == 2, "settled again at the clock's date")
    try await shop.store.reset()
    try await advance(shop, days: 40)
    #expect(try await shop.store.transactions().isEmpty)
  }

  @Test("A1 at a rate of StoreKitTest, twelve months of renewals pass in six minutes")
  func rate() async throws {
    let (shop, _, _) = try await subscribed(rules: RenewalRules(rate: .monthlyRenewalEveryThirtySeconds))
    try await shop.store.changeClock(.advance(milliseconds: 360_000))
    #expect(try await records(shop).count == 13)
  }
}
