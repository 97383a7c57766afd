import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct LedgerSubscriptionTests {
  private static let yearly = ProductID("com.example.reader.club.yearly")

  /// Returns a ledger with a monthly and a yearly subscription of a club, and a customer.
  private func open(_ engine: LedgerEngine) async throws -> (TestLedger, Claimant) {
    let fixture = try await TestLedger.open(engine)
    try await fixture.ledger.publish(
      LedgerProduct(id: Self.yearly, type: .autoRenewableSubscription), app: TestLedger.app, by: "olga")
    return (fixture, try await fixture.identified("ada"))
  }

  /// Returns a period of one subscription. Its id determines its purchase date.
  private func period(
    _ id: UInt64, _ product: ProductID = TestLedger.club, until seconds: Int64, refunded: Bool = false
  ) -> ProvenPurchase {
    var purchase = TestLedger.purchase(product, id, original: 1, refunded: refunded ? 100_000 : nil)
    purchase.expiresDate = TestLedger.start.adding(seconds: seconds)
    return purchase
  }

  private func access(_ fixture: TestLedger, _ customer: CustomerID) async throws -> [ProductID: Int64] {
    let active = try await fixture.ledger.entitlements(of: customer, app: TestLedger.app).filter {
      $0.isActive(at: fixture.clock.now)
    }
    return Dictionary(
      uniqueKeysWithValues: active.map { entitlement in
        let end = entitlement.accessUntil?.millisecondsSince1970 ?? 0
        return (entitlement.product, (end - TestLedger.start.millisecondsSince1970) / 1000)
      })
  }

  @Test(
    "A later period extends the access, an earlier one that arrives late changes nothing; the access expires",
    arguments: LedgerEngine.allCases)
  func laterPeriod(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)

    let first = try await fixture.redeem(period(2, until: 200), for: ada)
    let late = try await fixture.redeem(period(1, until: 100), for: ada)

    #expect(first.given?.claim == TransactionID(1))
    #expect(late == first)
    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 200])
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([period(3, until: 300)], stated: 5))
    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 300])
    fixture.clock.advance(seconds: 300)
    #expect(try await access(fixture, ada.customer) == [:])
  }

  @Test("A change of plan changes the product, whichever ends later, and back again", arguments: LedgerEngine.allCases)
  func changeOfPlan(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    _ = try await fixture.redeem(period(1, Self.yearly, until: 1000), for: ada)

    let changed = try await fixture.redeem(period(2, until: 200), for: ada)

    #expect(changed.given?.entitlement?.product == TestLedger.club)
    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 200])
    #expect(
      try await fixture.ledger.entitlements(of: ada.customer, app: TestLedger.app).first { $0.product == Self.yearly }?
        .endReason == .replaced)
    _ = try await fixture.redeem(period(3, Self.yearly, until: 2000), for: ada)
    #expect(try await access(fixture, ada.customer) == [Self.yearly: 2000])
  }

  @Test("If a period is refunded, the previous one is used; if all are, none", arguments: LedgerEngine.allCases)
  func refunds(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    _ = try await fixture.redeem(period(1, until: 100), for: ada)
    _ = try await fixture.redeem(period(2, until: 1000), for: ada)

    let earlier = try await fixture.redeem(period(2, until: 1000, refunded: true), stated: 5, for: ada)
    #expect(earlier.given?.entitlement?.product == TestLedger.club)
    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 100])

    let none = try await fixture.redeem(period(1, until: 100, refunded: true), stated: 6, for: ada)
    #expect(none.refusal == .refunded(TestLedger.start))
    #expect(try await access(fixture, ada.customer) == [:])
    // A shorter period that was paid later.
    let next = try await fixture.redeem(period(3, until: 50), stated: 7, for: ada)
    #expect(next.given?.entitlement?.ended == nil)
    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 50])
  }

  @Test(
    "A1 a refunded upgrade does not bring back the plan that it replaced; a reversed refund brings back the upgrade",
    arguments: LedgerEngine.allCases)
  func refundedUpgrade(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    _ = try await fixture.redeem(period(1, until: 100), for: ada)
    _ = try await fixture.redeem(period(2, Self.yearly, until: 1000), for: ada)

    let refund = period(2, Self.yearly, until: 1000, refunded: true)
    #expect(try await fixture.redeem(refund, stated: 5, for: ada).refusal == .refunded(TestLedger.start))
    #expect(try await access(fixture, ada.customer) == [:])
    // An old proof of the replaced plan gives nothing either.
    #expect(
      try await fixture.redeem(period(1, until: 100), stated: 1, for: ada).refusal == .refunded(TestLedger.start))
    let reasons = try await fixture.ledger.entitlements(of: ada.customer, app: TestLedger.app).map(\.endReason)
    #expect(Set(reasons) == [.refunded, .replaced])

    _ = try await fixture.redeem(period(2, Self.yearly, until: 1000), stated: 7, for: ada)
    #expect(try await access(fixture, ada.customer) == [Self.yearly: 1000])
  }

  @Test(
    "A1 a plan whose refund is reversed comes back, although another plan was bought and refunded meanwhile",
    arguments: LedgerEngine.allCases)
  func reversedBeforeAnotherPlan(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    _ = try await fixture.redeem(period(1, until: 100), for: ada)
    _ = try await fixture.redeem(period(1, until: 100, refunded: true), stated: 5, for: ada)
    _ = try await fixture.redeem(period(6, Self.yearly, until: 1000), stated: 7, for: ada)
    _ = try await fixture.redeem(period(6, Self.yearly, until: 1000, refunded: true), stated: 8, for: ada)
    #expect(try await access(fixture, ada.customer) == [:])

    _ = try await fixture.redeem(period(1, until: 100), stated: 10, for: ada)

    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 100])
  }

  @Test("A1 a period with two transaction ids lasts until the later end", arguments: LedgerEngine.allCases)
  func twoIDs(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    var restored = period(2, until: 100)
    restored.purchaseDate = period(1, until: 100).purchaseDate
    _ = try await fixture.redeem(restored, for: ada)
    _ = try await fixture.redeem(period(1, until: 105), stated: 5, for: ada)
    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 105])
  }

  @Test(
    "A1 of two plans bought in one second, the one with the higher transaction id is current, unless it was replaced",
    arguments: LedgerEngine.allCases)
  func changeInTheSecondOfThePurchase(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    func plan(_ id: UInt64, _ product: ProductID, until seconds: Int64, refunded: Bool = false) -> ProvenPurchase {
      var purchase = period(id, product, until: seconds, refunded: refunded)
      purchase.purchaseDate = TestLedger.start
      return purchase
    }
    _ = try await fixture.redeem(plan(9, Self.yearly, until: 1000), for: ada)
    _ = try await fixture.redeem(plan(10, TestLedger.club, until: 200), for: ada)
    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 200])

    _ = try await fixture.redeem(plan(10, TestLedger.club, until: 200, refunded: true), stated: 5, for: ada)
    #expect(try await access(fixture, ada.customer) == [:])

    let ben = try await fixture.identified("ben")
    func plans(_ ids: (UInt64, UInt64)) -> [ProvenPurchase] {
      var purchases = [plan(ids.0, TestLedger.club, until: 200), plan(ids.1, Self.yearly, until: 0)]
      for index in purchases.indices { purchases[index].originalTransactionID = TransactionID(21) }
      return purchases
    }
    _ = try await fixture.ledger.redeem(TestLedger.proof(plans((21, 22))), .everythingOwned, for: ben)
    #expect(try await access(fixture, ben.customer) == [TestLedger.club: 200])
  }

  @Test("Restoring returns the refund of the newest period, whichever was requested", arguments: LedgerEngine.allCases)
  func restoreShowsRefund(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    _ = try await fixture.redeem(period(2, until: 200), for: ada)
    let proof = TestLedger.proof([period(1, until: 100), period(2, until: 200, refunded: true)], stated: 5)

    let restored = try await fixture.ledger.redeem(proof, .everythingOwned, for: ada)

    #expect(restored.purchases.map(\.transactionID) == [TransactionID(1)])
    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 100])
  }

  @Test(
    "A subscription that an operator revoked stays revoked, also under another plan", arguments: LedgerEngine.allCases)
  func revoked(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    _ = try await fixture.redeem(period(1, until: 100), for: ada)
    try await fixture.ledger.revoke(
      TestLedger.club, source: "1", from: ada.customer, app: TestLedger.app, reason: "fraud", by: "olga")

    #expect(try await fixture.redeem(period(2, Self.yearly, until: 900), stated: 5, for: ada).refusal == .revoked)
    #expect(try await access(fixture, ada.customer) == [:])
  }

  @Test(
    "Two customers redeem two periods of one subscription at once: one of them gets it", .timeLimit(.minutes(30)),
    arguments: LedgerEngine.allCases)
  func race(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    let ben = try await fixture.identified("ben")
    for round in 1...20 as ClosedRange<UInt64> {
      let outcomes = try await withThrowingTaskGroup(of: RedeemedPurchase.Outcome.self) { group in
        for (claimant, id) in [(ada, round * 10), (ben, round * 10 + 1)] {
          group.addTask {
            var purchase = TestLedger.purchase(TestLedger.club, id, original: round * 10)
            purchase.expiresDate = TestLedger.start.adding(seconds: 100_000)
            return try await fixture.redeem(purchase, for: claimant)
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.compactMap(\.given).count == 1)
      #expect(outcomes.compactMap(\.refusal) == [.claimedByAnotherCustomer])
    }
  }

  @Test(
    "A non-renewing subscription gives access for its days; a second one extends it",
    arguments: LedgerEngine.allCases)
  func nonRenewing(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    let pass = ProductID("com.example.reader.pass")
    let day: Int64 = 86_400
    try await fixture.ledger.publish(
      LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 30), app: TestLedger.app, by: "olga")

    let first = try await fixture.redeem(TestLedger.purchase(pass, 1), for: ada)
    let second = try await fixture.redeem(TestLedger.purchase(pass, 2), for: ada)
    let again = try await fixture.redeem(TestLedger.purchase(pass, 1), for: ada)

    #expect(first.given?.entitlement?.accessUntil == TestLedger.start.adding(seconds: 1 + 30 * day))
    #expect(second.given?.entitlement?.accessUntil == TestLedger.start.adding(seconds: 1 + 60 * day))
    #expect(try await end(of: pass, fixture, ada.customer) == TestLedger.start.adding(seconds: 1 + 60 * day))
    #expect(again == first)
    // A refunded pass adds no days.
    let refunded = TestLedger.purchase(pass, 1, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 5))
    #expect(try await end(of: pass, fixture, ada.customer) == TestLedger.start.adding(seconds: 2 + 30 * day))
    fixture.clock.advance(seconds: 2 + 30 * day)
    #expect(try await fixture.owned(by: ada.customer) == [])
  }

  @Test(
    "Expired passes extend nothing, in any order of arrival, and neither do grants",
    arguments: LedgerEngine.allCases)
  func usedUp(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    let (pass, day) = (ProductID("com.example.reader.pass"), Int64(86_400))
    try await fixture.ledger.publish(
      LedgerProduct(id: pass, type: .nonRenewingSubscription, accessDays: 30), app: TestLedger.app, by: "olga")
    try await fixture.ledger.grant(
      .product(pass, accessUntil: TestLedger.start.adding(seconds: 9000 * day)), to: ada.customer, app: TestLedger.app,
      key: "by mistake", reason: "r", by: "olga")
    func bought(_ id: UInt64, _ days: Int64) -> ProvenPurchase {
      var purchase = TestLedger.purchase(pass, id)
      purchase.purchaseDate = TestLedger.start.adding(seconds: days * day)
      purchase.originalPurchaseDate = purchase.purchaseDate
      return purchase
    }

    for purchase in [bought(3, 0), bought(1, -100), bought(2, -50)] {
      _ = try await fixture.redeem(purchase, for: ada)
    }

    #expect(
      try await fixture.ledger.entitlements(of: ada.customer, app: TestLedger.app).filter { $0.origin == .purchased }
        .compactMap(\.accessUntil).max() == TestLedger.start.adding(seconds: 30 * day))
  }

  private func end(of product: ProductID, _ fixture: TestLedger, _ customer: CustomerID) async throws -> StoreDate? {
    try await fixture.ledger.entitlements(of: customer, app: TestLedger.app)
      .filter { $0.product == product && $0.isActive(at: fixture.clock.now) }.compactMap(\.accessUntil).max()
  }

  @Test("A refund of the current period ends it, whoever sends the proof", arguments: LedgerEngine.allCases)
  func shownByAnother(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    let ben = try await fixture.identified("ben")
    _ = try await fixture.redeem(period(1, until: 100), for: ada)
    _ = try await fixture.redeem(period(2, until: 1000), for: ada)

    let refused = try await fixture.redeem(period(2, until: 1000, refunded: true), stated: 5, for: ben)

    #expect(refused.refusal == .claimedByAnotherCustomer)
    #expect(try await access(fixture, ada.customer) == [TestLedger.club: 100])
  }

  @Test("A period without an expiration date grants no access", arguments: LedgerEngine.allCases)
  func withoutEnd(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)

    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.club, 1), for: ada)

    fixture.clock.advance(seconds: 10)
    #expect(try await access(fixture, ada.customer) == [:])
  }

  @Test("A revoked subscription is not delivered under another plan", arguments: LedgerEngine.allCases)
  func revokedIsNotDelivered(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await open(engine)
    let file = ContentFile(name: "a", size: 1, sha256: String(repeating: "b", count: 64), mediaType: "text/plain")
    _ = try await fixture.ledger.publish(files: [file], of: Self.yearly, app: TestLedger.app, by: "olga")
    _ = try await fixture.redeem(period(1, until: 100), for: ada)
    try await fixture.ledger.revoke(
      TestLedger.club, source: "1", from: ada.customer, app: TestLedger.app, reason: "fraud", by: "olga")

    try await fixture.ledger.recordStatuses(from: TestLedger.proof([period(2, Self.yearly, until: 900)], stated: 5))

    #expect(try await fixture.ledger.deliveries(of: ada.customer, app: TestLedger.app) == [])
  }
}
