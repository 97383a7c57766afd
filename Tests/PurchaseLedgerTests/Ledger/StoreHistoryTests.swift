import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite("The store's histories", .timeLimit(.minutes(30)))
struct StoreHistoryTests {
  private static let account = PurchaseProof.transactionID(TransactionID(704_000_000_000_000_001))
  private let settings = LedgerSettings(reverificationSeconds: 3600, reverificationEndsAfterSeconds: 100_000)

  /// A proof of the Server API, whose purchases are of one store account.
  private static func proof(_ purchases: [ProvenPurchase], stated seconds: Int64 = 0) -> VerifiedProof {
    let date = TestLedger.start.adding(seconds: seconds)
    return VerifiedProof(
      proof: .signedTransaction("a transaction"), app: TestLedger.app, environment: .production, statedDate: date,
      issuedDate: date, purchases: purchases, stored: account, isIssued: { _ in false })
  }

  private static func redeem(_ purchases: [ProvenPurchase], _ ledger: Ledger, for claimant: Claimant) async throws {
    _ = try await ledger.redeem(
      proof(purchases), .purchases(purchases.map { .init(transactionID: $0.transactionID) }), for: claimant)
  }

  @Test(
    "all claims of one store account share a stored transaction id, with the place where reading goes on",
    arguments: LedgerEngine.allCases)
  func shared(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let ada = try await fixture.identified("ada")
    for id: UInt64 in 1...3 {
      try await Self.redeem([TestLedger.purchase(TestLedger.coins, id)], fixture.ledger, for: ada)
    }
    fixture.clock.advance(seconds: 3600)
    let stored = try #require(try await fixture.ledger.takeDueProofs().first)
    #expect(stored.proof == Self.account)
    #expect(try await fixture.ledger.takeDueProofs() == [])
    #expect(try await fixture.ledger.historyRevision(of: stored) == nil)

    let page = Self.proof([TestLedger.purchase(TestLedger.coins, 2, refunded: 100_000)], stated: 10)
    let recorded = try await fixture.ledger.record(StoreHistoryPart(statements: page, revision: "1"), for: stored)
    #expect((recorded.claims, recorded.changed) == (1, 1))
    #expect(try await fixture.ledger.historyRevision(of: stored) == "1")
    #expect(try await fixture.balance(of: ada.customer) == 10)

    try await fixture.ledger.record(StoreHistoryPart(statements: nil, revision: "2"), for: stored)
    try await fixture.ledger.record(StoreHistoryPart(statements: nil, revision: nil), for: stored)
    try await Self.redeem([TestLedger.purchase(TestLedger.coins, 4)], fixture.ledger, for: ada)
    #expect(try await fixture.ledger.historyRevision(of: stored) == "2")
    try await fixture.checkBalances()
  }

  @Test(
    "a stored proof of a kind that only a later version knows is left to it; the others are due",
    arguments: LedgerEngine.allCases)
  func laterKind(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let (ada, bob) = (try await fixture.identified("ada"), try await fixture.identified("bob"))
    try await Self.redeem([TestLedger.purchase(TestLedger.coins, 1)], fixture.ledger, for: ada)
    try await Self.redeem([TestLedger.purchase(TestLedger.coins, 2)], fixture.ledger, for: bob)
    _ = try await fixture.ledger.database.write(locking: []) { transaction in
      try transaction.execute("UPDATE stored_proof SET kind = 'later' WHERE customer = $1", ada.customer)
    }
    fixture.clock.advance(seconds: 3600)
    #expect(try await fixture.ledger.takeDueProofs().map(\.customer) == [bob.customer])
  }

  @Test("a page that cannot be recorded is read again", arguments: LedgerEngine.allCases)
  func failed(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let ada = try await fixture.identified("ada")
    try await Self.redeem([TestLedger.purchase(TestLedger.coins, 1)], fixture.ledger, for: ada)
    fixture.clock.advance(seconds: 3600)
    let stored = try #require(try await fixture.ledger.takeDueProofs().first)
    let refunded = Self.proof([TestLedger.purchase(TestLedger.coins, 1, refunded: 100_000)], stated: 10)
    let part = StoreHistoryPart(statements: refunded, revision: "1")
    // The write of the revision fails, after the statuses were written.
    try await fixture.database.write(locking: []) { transaction in
      _ = try transaction.execute("ALTER TABLE stored_proof RENAME COLUMN revision TO moved")
    }
    await #expect(throws: (any Error).self) { try await fixture.ledger.record(part, for: stored) }
    #expect(try await fixture.balance(of: ada.customer) == 5)
    try await fixture.database.write(locking: []) { transaction in
      _ = try transaction.execute("ALTER TABLE stored_proof RENAME COLUMN moved TO revision")
    }
    #expect(try await fixture.ledger.record(part, for: stored).changed == 1)
    #expect(try await fixture.balance(of: ada.customer) == 0)
  }

  @Test("a moved claim takes its place in the history along", arguments: LedgerEngine.allCases)
  func moved(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    try await Self.redeem([TestLedger.purchase(TestLedger.book, 1)], fixture.ledger, for: ada)
    fixture.clock.advance(seconds: 3600)
    let stored = try #require(try await fixture.ledger.takeDueProofs().first)
    try await fixture.ledger.record(StoreHistoryPart(statements: nil, revision: "7"), for: stored)
    try await fixture.ledger.move(
      TransactionID(1), in: .production, app: TestLedger.app, to: ben.customer, reason: "r", by: "olga")
    fixture.clock.advance(seconds: 3600)
    let due = try await fixture.ledger.takeDueProofs()
    #expect(due.map(\.customer) == [ben.customer] && due.map(\.proof) == [Self.account])
    #expect(try await fixture.ledger.historyRevision(of: due[0]) == "7")
    #expect(try await fixture.ledger.historyRevision(of: stored) == nil)
  }

  @Test("each statement counts by its own date, in whichever order they arrive", arguments: LedgerEngine.allCases)
  func ownDates(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let ada = try await fixture.identified("ada")
    var refunded = TestLedger.purchase(TestLedger.coins, 1, refunded: 100_000)
    refunded.statedDate = TestLedger.start.adding(seconds: 10)
    var reversed = TestLedger.purchase(TestLedger.coins, 1)
    reversed.statedDate = TestLedger.start.adding(seconds: 20)
    try await Self.redeem([TestLedger.purchase(TestLedger.coins, 1)], fixture.ledger, for: ada)
    // The page with the refund has a later date than the reversal: another purchase in it was stated later.
    try await fixture.ledger.recordStatuses(from: Self.proof([reversed], stated: 20))
    try await fixture.ledger.recordStatuses(from: Self.proof([refunded], stated: 30))
    #expect(try await fixture.balance(of: ada.customer) == 5)
  }
}
