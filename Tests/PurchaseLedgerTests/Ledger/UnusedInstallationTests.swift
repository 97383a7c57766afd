import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("Unused installations", .timeLimit(.minutes(10)))
struct UnusedInstallationTests {
  private static let days: Int64 = 90

  /// Advances the clock by `days`, and removes unused installations.
  private static func sweep(_ desk: LedgerDesk, after days: Int64 = days + 1) async throws -> Int {
    desk.clock.advance(seconds: days * 86_400)
    return try await desk.ledger.removeUnusedInstallations(olderThanDays: Self.days)
  }

  private static func count(_ desk: LedgerDesk, _ table: String) async throws -> Int64? {
    try await desk.database.read { try $0.row("SELECT COUNT(*) AS count FROM \(table)")?.integer("count") }
  }

  @Test(
    "an installation that claimed nothing is removed after so many days; it registers anew",
    arguments: LedgerEngine.allCases)
  func removed(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let token = try await desk.token(on: UUID())
    #expect(try await Self.sweep(desk, after: Self.days) == 0)
    _ = try await desk.ledger.authenticate(token)
    let young = try await desk.token()
    #expect(try await Self.sweep(desk, after: 1) == 1)
    await #expect(throws: LedgerError.tokenRefused) { try await desk.ledger.authenticate(token) }
    _ = try await desk.ledger.authenticate(young)
    #expect(try await Self.count(desk, "customer") == 1)
    #expect(try await Self.count(desk, "bearer_token") == 1)
    // The app registers again, because its token was refused.
    let claimant = try await desk.installation()
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1), for: claimant)
    #expect(try await desk.balance(of: claimant.customer) == 5)
  }

  @Test(
    "whoever has claimed, spent, been given, been refunded, moved or joined anything stays, for ever",
    arguments: LedgerEngine.allCases)
  func kept(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let device = UUID()
    var customers: [Claimant] = []
    // A customer who has spent all coins.
    let spender = try await desk.installation()
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1), for: spender)
    _ = try await desk.ledger.spend(5, of: LedgerDesk.coin, key: "1", customer: spender.customer, app: LedgerDesk.app)
    customers.append(spender)
    // A customer whose book was refunded.
    let refunded = try await desk.installation()
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 2), for: refunded)
    try await desk.ledger.learn(
      from: LedgerDesk.proof([LedgerDesk.purchase(LedgerDesk.book, 2, refunded: 100_000)], stated: 10))
    customers.append(refunded)
    // A customer with a product that the operator granted.
    let given = try await desk.installation()
    try await desk.ledger.grant(
      .product(LedgerDesk.magazine, accessUntil: nil), to: given.customer, app: LedgerDesk.app, key: "1",
      reason: "test",
      by: "olga")
    customers.append(given)
    // Two installations of one store account. A magazine moved from the first to the second.
    let first = try await desk.installation(on: device)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.magazine, 3), issuedFor: device, for: first)
    let second = try await desk.installation(on: device)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 4), for: second)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.magazine, 3), stated: 20, issuedFor: device, for: second)
    customers += [first, second]
    // An identified customer, and an erased one.
    customers.append(try await desk.identified("issuer ada"))
    let erased = try await desk.installation()
    try await desk.ledger.erase(erased.customer)
    let before = try await Self.count(desk, "customer")
    let owned = try await desk.owned(by: second.customer)

    #expect(try await Self.sweep(desk, after: 10_000) == 0)

    #expect(try await Self.count(desk, "customer") == before)
    #expect(try await desk.owned(by: second.customer) == owned)
    for customer in customers { _ = try await desk.ledger.export(customer.customer) }
    try await desk.checkBooks()
  }

  @Test(
    "what was bought in the name of an installation that was removed is redeemed by the next one",
    arguments: LedgerEngine.allCases)
  func pending(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let old = try await desk.installation()
    // A purchase that was approved only after the installation was removed.
    let purchase = LedgerDesk.purchase(LedgerDesk.coins, 1, for: old.customer)
    #expect(try await Self.sweep(desk) == 1)
    let new = try await desk.installation()
    guard case .given = try await desk.redeem(purchase, for: new) else {
      Issue.record("it was refused")
      return
    }
    #expect(try await desk.balance(of: new.customer) == 5)
  }

  @Test("many are removed in bounded commits, and those between them stay", arguments: LedgerEngine.allCases)
  func bounded(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let count = 2 * Ledger.unusedPage + 50
    for _ in 0..<count { _ = try await desk.token() }
    let buyer = try await desk.installation()
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 1), for: buyer)
    #expect(try await Self.sweep(desk) == count)
    #expect(try await Self.count(desk, "customer") == 1)
    #expect(try await desk.balance(of: buyer.customer) == 5)
  }

  @Test(
    "an installation that claims while it is removed has its purchase, or its token is refused",
    arguments: LedgerEngine.allCases)
  func race(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    for number in 1...20 as ClosedRange<UInt64> {
      let claimant = try await desk.installation()
      desk.clock.advance(seconds: 100 * 86_400)
      async let removed = desk.ledger.removeUnusedInstallations(olderThanDays: Self.days)
      let purchase = LedgerDesk.purchase(LedgerDesk.coins, number, for: claimant.customer)
      do {
        _ = try await desk.redeem(purchase, for: claimant)
        #expect(try await desk.balance(of: claimant.customer) == 5)
      } catch LedgerError.unknownCustomer {
        let next = try await desk.installation()
        _ = try await desk.redeem(purchase, for: next)
        #expect(try await desk.balance(of: next.customer) == 5)
      }
      _ = try await removed
    }
    try await desk.checkBooks()
  }
}
