import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Unused installations", .timeLimit(.minutes(30)))
struct UnusedInstallationTests {
  private static let days: Int64 = 90

  /// Advances the clock by `days`, and removes unused installations.
  private static func sweep(_ fixture: TestLedger, after days: Int64 = days + 1) async throws -> Int {
    fixture.clock.advance(seconds: days * 86_400)
    return try await fixture.ledger.removeUnusedInstallations(olderThanDays: Self.days)
  }

  private static func count(_ fixture: TestLedger, _ table: String) async throws -> Int64? {
    try await fixture.database.read { try $0.row("SELECT COUNT(*) AS count FROM \(table)")?.integer("count") }
  }

  @Test(
    "an installation without claims is removed after the configured days; it registers again",
    arguments: LedgerEngine.allCases)
  func removed(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let token = try await fixture.token(on: UUID())
    #expect(try await Self.sweep(fixture, after: Self.days) == 0)
    _ = try await fixture.ledger.authenticate(token)
    let young = try await fixture.token()
    #expect(try await Self.sweep(fixture, after: 1) == 1)
    await #expect(throws: LedgerError.tokenRefused) { try await fixture.ledger.authenticate(token) }
    _ = try await fixture.ledger.authenticate(young)
    #expect(try await Self.count(fixture, "customer") == 1)
    #expect(try await Self.count(fixture, "bearer_token") == 1)
    // The app registers again, because its token was refused.
    let claimant = try await fixture.installation()
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: claimant)
    #expect(try await fixture.balance(of: claimant.customer) == 5)
  }

  @Test(
    "a customer with a claim, spend, grant, refund, move or join is never removed",
    arguments: LedgerEngine.allCases)
  func kept(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let device = UUID()
    var customers: [Claimant] = []
    // A customer who has spent all coins.
    let spender = try await fixture.installation()
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: spender)
    _ = try await fixture.ledger.spend(
      5, of: TestLedger.coin, key: "1", customer: spender.customer, app: TestLedger.app)
    customers.append(spender)
    // A customer whose book was refunded.
    let refunded = try await fixture.installation()
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 2), for: refunded)
    try await fixture.ledger.recordStatuses(
      from: TestLedger.proof([TestLedger.purchase(TestLedger.book, 2, refunded: 100_000)], stated: 10))
    customers.append(refunded)
    // A customer with a product that the operator granted.
    let given = try await fixture.installation()
    try await fixture.ledger.grant(
      .product(TestLedger.magazine, accessUntil: nil), to: given.customer, app: TestLedger.app, key: "1",
      reason: "test",
      by: "olga")
    customers.append(given)
    // Two installations of one store account. A magazine moved from the first to the second.
    let first = try await fixture.installation(on: device)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.magazine, 3), issuedFor: device, for: first)
    let second = try await fixture.installation(on: device)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 4), for: second)
    _ = try await fixture.redeem(
      TestLedger.purchase(TestLedger.magazine, 3), stated: 20, issuedFor: device, for: second)
    customers += [first, second]
    // An identified customer, and an erased one.
    customers.append(try await fixture.identified("issuer ada"))
    let erased = try await fixture.installation()
    try await fixture.ledger.erase(erased.customer)
    let before = try await Self.count(fixture, "customer")
    let owned = try await fixture.owned(by: second.customer)

    #expect(try await Self.sweep(fixture, after: 10_000) == 0)

    #expect(try await Self.count(fixture, "customer") == before)
    #expect(try await fixture.owned(by: second.customer) == owned)
    for customer in customers { _ = try await fixture.ledger.exported(customer.customer) }
    try await fixture.checkBalances()
  }

  @Test(
    "a purchase that names a removed installation is redeemed by the next one",
    arguments: LedgerEngine.allCases)
  func pending(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let old = try await fixture.installation()
    // A purchase that was approved only after the installation was removed.
    let purchase = TestLedger.purchase(TestLedger.coins, 1, for: old.customer)
    #expect(try await Self.sweep(fixture) == 1)
    let new = try await fixture.installation()
    guard case .given = try await fixture.redeem(purchase, for: new) else {
      Issue.record("it was refused")
      return
    }
    #expect(try await fixture.balance(of: new.customer) == 5)
  }

  @Test(
    "many installations are removed in bounded commits, and customers in use between them stay",
    arguments: LedgerEngine.allCases)
  func bounded(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let count = 2 * Ledger.unusedPage + 50
    for _ in 0..<count { _ = try await fixture.token() }
    let buyer = try await fixture.installation()
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: buyer)
    #expect(try await Self.sweep(fixture) == count)
    #expect(try await Self.count(fixture, "customer") == 1)
    #expect(try await fixture.balance(of: buyer.customer) == 5)
  }

  @Test(
    "an installation that claims during its removal keeps its purchase, or its token is refused",
    arguments: LedgerEngine.allCases)
  func race(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    for number in 1...20 as ClosedRange<UInt64> {
      let claimant = try await fixture.installation()
      fixture.clock.advance(seconds: 100 * 86_400)
      async let removed = fixture.ledger.removeUnusedInstallations(olderThanDays: Self.days)
      let purchase = TestLedger.purchase(TestLedger.coins, number, for: claimant.customer)
      do {
        _ = try await fixture.redeem(purchase, for: claimant)
        #expect(try await fixture.balance(of: claimant.customer) == 5)
      } catch LedgerError.unknownCustomer {
        let next = try await fixture.installation()
        _ = try await fixture.redeem(purchase, for: next)
        #expect(try await fixture.balance(of: next.customer) == 5)
      }
      _ = try await removed
    }
    try await fixture.checkBalances()
  }
}
