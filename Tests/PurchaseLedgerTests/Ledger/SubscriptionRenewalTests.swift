import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Tests how a ledger records what the store states about renewals (Documentation/purchase-ledger.md, "Renewals").
@Suite("Renewals in the ledger", .timeLimit(.minutes(30)))
struct SubscriptionRenewalTests {
  private static let period: Int64 = 100
  private static let grace: Int64 = 150

  private func date(_ seconds: Int64) -> StoreDate { TestLedger.start.adding(seconds: seconds) }

  private func period(_ id: UInt64, until seconds: Int64, refunded: Bool = false) -> ProvenPurchase {
    var purchase = TestLedger.purchase(TestLedger.club, id, original: 1, refunded: refunded ? 100_000 : nil)
    purchase.expiresDate = date(seconds)
    return purchase
  }

  private func renewal(
    after id: UInt64, isOn: Bool = true, retries: Bool = false, grace seconds: Int64? = nil, intent: Int64? = nil
  ) -> ProvenRenewal {
    ProvenRenewal(
      originalTransactionID: TransactionID(1), lastPeriod: TransactionID(id), productID: TestLedger.club,
      isAutoRenewOn: isOn, isInBillingRetry: retries, gracePeriodEnd: seconds.map(date), expirationIntent: intent)
  }

  private func entitlement(_ fixture: TestLedger, _ customer: CustomerID) async throws -> LedgerEntitlement {
    try #require(try await fixture.ledger.entitlements(of: customer, app: TestLedger.app).first)
  }

  /// Redeems a period that ends after 100 seconds for a new customer.
  private func subscribed(_ engine: LedgerEngine) async throws -> (TestLedger, CustomerID) {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let proof = TestLedger.proof([period(1, until: Self.period)], renewals: [renewal(after: 1)])
    _ = try await fixture.ledger.redeem(proof, .everythingOwned, for: ada)
    return (fixture, ada.customer)
  }

  @Test(
    "A1 in a grace period access lasts longer than the paid period, and ends with it", arguments: LedgerEngine.allCases)
  func gracePeriod(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await subscribed(engine)
    #expect(try await entitlement(fixture, ada).renewal?.isAutoRenewOn == true)

    try await fixture.ledger.recordStatuses(
      from: TestLedger.proof(
        [period(1, until: Self.period)], stated: 110, renewals: [renewal(after: 1, retries: true, grace: Self.grace)]))

    let found = try await entitlement(fixture, ada)
    #expect(found.expires == date(Self.period))
    #expect(found.accessUntil == date(Self.grace))
    #expect(found.renewal?.gracePeriodEnd == date(Self.grace))
    #expect(found.renewal?.isInBillingRetry == true)
    #expect(found.isActive(at: date(Self.grace - 1)))
    #expect(!found.isActive(at: date(Self.grace)))
  }

  @Test("A1 a recovered renewal ends the grace period, and keeps its own end", arguments: LedgerEngine.allCases)
  func recovery(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await subscribed(engine)
    // The grace period is longer than the next period.
    try await fixture.ledger.recordStatuses(
      from: TestLedger.proof(
        [period(1, until: 100)], stated: 110, renewals: [renewal(after: 1, retries: true, grace: 500)]))

    // A signed transaction of the new period contains no renewal information.
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([period(2, until: 200)], stated: 120))

    let found = try await entitlement(fixture, ada)
    #expect(found.accessUntil == date(200))
    #expect(found.expires == date(200))
    #expect(found.renewal == nil)
  }

  @Test("A1 an older answer does not replace a newer one", arguments: LedgerEngine.allCases)
  func order(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await subscribed(engine)
    let failed = TestLedger.proof(
      [period(1, until: 100)], stated: 110, renewals: [renewal(after: 1, retries: true, grace: Self.grace)])
    let ended = TestLedger.proof(
      [period(1, until: 100)], stated: 160, renewals: [renewal(after: 1, isOn: false, intent: 2)])

    try await fixture.ledger.recordStatuses(from: ended)
    try await fixture.ledger.recordStatuses(from: failed)

    let found = try await entitlement(fixture, ada)
    #expect(found.accessUntil == date(100))
    #expect(found.renewal?.expirationIntent == 2)
    #expect(found.renewal?.isAutoRenewOn == false)
  }

  @Test("A1 a refund of the period before a grace period ends the access at once", arguments: LedgerEngine.allCases)
  func refund(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await subscribed(engine)
    try await fixture.ledger.recordStatuses(
      from: TestLedger.proof(
        [period(1, until: 100), period(2, until: 200)], stated: 210,
        renewals: [renewal(after: 2, retries: true, grace: 250)]))
    #expect(try await entitlement(fixture, ada).accessUntil == date(250))

    try await fixture.ledger.recordStatuses(
      from: TestLedger.proof([period(2, until: 200, refunded: true)], stated: 220))

    // The period before it has ended.
    #expect(try await entitlement(fixture, ada).accessUntil == date(100))
    #expect(try await entitlement(fixture, ada).renewal == nil)
  }

  @Test(
    "A1 the view of renewals has only those of the claim's current plan, like the API", arguments: LedgerEngine.allCases
  )
  func view(_ engine: LedgerEngine) async throws {
    let (fixture, ada) = try await subscribed(engine)
    func products() async throws -> [String] {
      try await fixture.database.read { transaction in
        try transaction.rows("SELECT next_product FROM customer_renewal").map { try $0.text("next_product") }
      }
    }
    #expect(try await products() == [TestLedger.club.rawValue])
    _ = try await fixture.database.write(locking: []) { transaction in
      try transaction.execute("UPDATE claim_period SET product = 'another plan'")
    }
    #expect(try await entitlement(fixture, ada).renewal == nil)
    #expect(try await products() == [])
  }

  @Test("an entitlement's claim is found by its key, however many claims the app has")
  func queryPlan() async throws {
    let (fixture, ada) = try await subscribed(.sqlite)
    let plan = try await fixture.database.read { transaction in
      try transaction.rows(
        "EXPLAIN QUERY PLAN \(LedgerEntitlement.query) WHERE e.customer = $1 AND e.app = $2", ada, TestLedger.app
      ).map { try $0.text("detail") }
    }
    #expect(plan.contains { $0.hasPrefix("SEARCH c ") && $0.contains("app=? AND environment=? AND id=?") }, "\(plan)")
  }
}
