import StoreModel
import Testing

@testable import AppStoreEmulator

/// Plays random events on a whole store, and checks what it has recorded. `SubscriptionModelTests` checks the state machine
/// itself.
@Suite("Random events of subscriptions in a store", .timeLimit(.minutes(30)))
struct RandomSubscriptionTests {
  private static let plans: [ProductID] = ["gold", "goldYearly", "silver", "free"]

  /// A shop with a club of three levels.
  private func club(rules: RenewalRules) async throws -> TeaShop {
    let shop = try await TeaShop()
    func plan(_ id: ProductID, level: Int, price: Int64, months: Int = 1) -> ProductDefinition {
      ProductDefinition(
        productID: id, type: .autoRenewableSubscription, price: Milliunits(price),
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: level, period: CalendarPeriod(value: months, unit: .month), offers: []))
    }
    try await shop.sell([
      plan("gold", level: 1, price: 9_990), plan("goldYearly", level: 1, price: 99_990, months: 12),
      plan("silver", level: 2, price: 4_990), plan("free", level: 3, price: 0),
    ])
    try await shop.store.setRenewalRules(rules, of: TeaShop.app)
    return shop
  }

  private enum Event {
    case buy(ProductID)
    case paymentMethod(Customer.PaymentMethod)
    case autoRenew(Bool)
    case refund
    case reverseRefund
    case extend(seconds: Int64)
    case nothing
  }

  private struct Step {
    let seconds: Int64
    let event: Event
  }

  private func steps(_ generator: inout SeededGenerator) -> [Step] {
    (0..<50).map { _ in
      // Up to 45 days.
      let seconds = 1 + Int64(generator.next() % (45 * 86_400))
      let event: Event =
        switch generator.next() % 10 {
        case 0, 1, 2: .buy(Self.plans[Int(generator.next() % 4)])
        case 3: .paymentMethod(.declined)
        case 4, 5: .paymentMethod(.valid)
        case 6: .autoRenew(generator.next() % 2 == 0)
        case 7: generator.next() % 2 == 0 ? .refund : .reverseRefund
        case 8: .extend(seconds: Int64(1 + generator.next() % (10 * 86_400)))
        default: .nothing
        }
      return Step(seconds: seconds, event: event)
    }
  }

  private func subscription(_ shop: TeaShop) async throws -> RenewalRecord? {
    try await shop.store.subscriptions(of: TeaShop.customer, in: .sandbox).first
  }

  /// Carries out an event. A refusal changes nothing, and is checked by the comparison of the two stores.
  private func carryOut(_ event: Event, in shop: TeaShop) async throws {
    do {
      switch event {
      case .buy(let product):
        _ = try await shop.store.purchase(product, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
      case .paymentMethod(let method):
        try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = method }
      case .autoRenew(let isOn):
        guard let id = try await subscription(shop)?.originalTransactionID else { return }
        try await shop.store.setAutoRenew(ofSubscription: id, isOn: isOn)
      case .refund:
        guard let id = try await subscription(shop)?.currentTransactionID else { return }
        _ = try await shop.store.refund(id)
      case .reverseRefund:
        guard let id = try await subscription(shop)?.currentTransactionID else { return }
        _ = try await shop.store.reverseRefund(of: id)
      case .extend(let seconds):
        guard let found = try await subscription(shop) else { return }
        try await shop.store.changeSubscription(
          found.originalTransactionID, by: [.extend(to: found.periodEnd.adding(seconds: seconds))])
      case .nothing: break
      }
    } catch is StoreRefusal {
    } catch is AppStoreEmulatorError {}
  }

  private func advance(_ shop: TeaShop, seconds: Int64) async throws {
    try await shop.store.changeClock(.advance(milliseconds: seconds * 1000))
  }

  /// Checks that every transaction was charged once if it costs something, and that nothing else was charged.
  private func checkCharges(_ shop: TeaShop, _ comment: String) async throws {
    let records = try await shop.store.transactions().map(\.record)
    let charges = try await shop.store.charges()
    let owed = records.filter { $0.price != .zero }
    #expect(Set(owed.map(\.transactionID)) == Set(charges.map(\.transactionID)), "\(comment)")
    #expect(owed.count == charges.count, "\(comment)")
    let prices = Dictionary(uniqueKeysWithValues: owed.map { ($0.transactionID, $0.price) })
    #expect(charges.allSatisfy { prices[$0.transactionID] == $0.amount }, "\(comment)")
  }

  /// Checks that a customer has access exactly while a period that was not refunded, or a grace period after it, runs.
  private func checkAccess(_ shop: TeaShop, _ comment: String) async throws {
    guard let found = try await subscription(shop) else { return }
    let now = try await shop.store.clockReading().now
    let current = try await shop.store.transaction(found.currentTransactionID).stored.record
    let runs = current.isActive(at: now)
    switch found.state {
    case .active: #expect(runs && found.accessEnd == current.expiresDate, "\(comment)")
    case .gracePeriod: #expect(!runs && current.revocationDate == nil && found.accessEnd > now, "\(comment)")
    case .billingRetry, .expired: #expect(!runs && found.accessEnd <= now, "\(comment)")
    case .revoked: #expect(current.revocationDate != nil && found.accessEnd <= now, "\(comment)")
    }
    let others = try await shop.store.transactions().map(\.record).filter {
      $0.transactionID != current.transactionID && $0.isActive(at: now)
    }
    #expect(others.isEmpty, "\(comment): only the newest period may run")
  }

  @Test(
    "A1 forty random histories: no charge without a transaction, no access without a period, and the same in pieces")
  func histories() async throws {
    for seed in 0..<UInt64(40) {
      var generator = SeededGenerator(seed: seed)
      let rules = RenewalRules(gracePeriod: generator.next() % 2 == 0 ? .standard : .off)
      let once = try await club(rules: rules)
      let pieces = try await club(rules: rules)
      for (number, step) in steps(&generator).enumerated() {
        let comment = "seed \(seed), step \(number), \(step)"
        try await advance(once, seconds: step.seconds)
        try await carryOut(step.event, in: once)
        for piece in 0..<7 {
          let (start, end) = (step.seconds * Int64(piece) / 7, step.seconds * Int64(piece + 1) / 7)
          try await advance(pieces, seconds: end - start)
        }
        try await carryOut(step.event, in: pieces)
        try await checkAccess(once, comment)
      }
      try await checkCharges(once, "seed \(seed)")
      #expect(
        try await once.store.transactions().map(\.record) == pieces.store.transactions().map(\.record), "seed \(seed)")
      #expect(try await once.store.charges() == pieces.store.charges(), "seed \(seed)")
      #expect(try await once.store.refunds() == pieces.store.refunds(), "seed \(seed)")
      guard let id = try await subscription(once)?.originalTransactionID else { continue }
      #expect(
        try await once.store.history(ofSubscription: id) == pieces.store.history(ofSubscription: id), "seed \(seed)")
    }
  }
}
