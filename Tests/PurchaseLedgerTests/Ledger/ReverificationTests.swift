import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(30))) struct ReverificationTests {
  private let settings = LedgerSettings(reverificationSeconds: 3600, reverificationEndsAfterSeconds: 100_000)

  @Test(
    "A due proof is verified again by one server, and again one period later",
    arguments: LedgerEngine.allCases)
  func due(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let ada = try await fixture.identified("ada")
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada)
    #expect(try await fixture.ledger.takeDueProofs() == [])

    fixture.clock.advance(seconds: 3600)
    let taken = try await withThrowingTaskGroup(of: [StoredProof].self) { group in
      for _ in 0..<8 { group.addTask { try await fixture.ledger.takeDueProofs() } }
      return try await group.reduce(into: []) { $0 += $1 }
    }

    #expect(taken.map(\.proof) == [.appReceipt(Data("receipt".utf8))])
    #expect(taken.map(\.customer) == [ada.customer])
    fixture.clock.advance(seconds: 3600)
    let again = try await fixture.ledger.takeDueProofs()
    #expect(again.count == 1)
    // Postpones the proof, as if the store had been unavailable.
    try await fixture.ledger.postpone(again[0], seconds: 10)
    fixture.clock.advance(seconds: 10)
    #expect(try await fixture.ledger.takeDueProofs().count == 1)
    fixture.clock.advance(seconds: 100_000)
    #expect(try await fixture.ledger.takeDueProofs() == [])
  }

  @Test(
    "A proof stored while the server's clock was years ahead is verified when the clock is right",
    arguments: LedgerEngine.allCases)
  func clockAhead(_ engine: LedgerEngine) async throws {
    let ahead = try await TestLedger.open(engine, settings)
    ahead.clock.advance(seconds: 10 * 365 * 86_400)
    _ = try await ahead.redeem(TestLedger.purchase(TestLedger.book, 1), for: try await ahead.identified("ada"))
    let fixture = try await TestLedger.open(on: ahead.database, settings)
    #expect(try await fixture.ledger.takeDueProofs() == [])

    fixture.clock.advance(seconds: 3600)

    #expect(try await fixture.ledger.takeDueProofs().count == 1)
  }

  @Test(
    "A claim is verified by its newest proof; a proof that no claim needs is deleted",
    arguments: LedgerEngine.allCases)
  func kept(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let ada = try await fixture.identified("ada")
    let book = TestLedger.purchase(TestLedger.book, 9)
    func redeem(_ purchases: [ProvenPurchase], _ proof: PurchaseProof) async throws {
      _ = try await fixture.ledger.redeem(
        TestLedger.proof(purchases, as: proof),
        .purchases(purchases.map { .init(transactionID: $0.transactionID) }), for: ada)
    }

    // A finished consumable is not in later receipts.
    try await redeem([TestLedger.purchase(TestLedger.coins, 1), book], .appReceipt(Data("one".utf8)))
    try await redeem([book], .appReceipt(Data("two".utf8)))
    try await redeem([TestLedger.purchase(TestLedger.coins, 2), book], .appReceipt(Data("three".utf8)))
    try await redeem([TestLedger.purchase(TestLedger.coins, 3)], .legacyReceipt(Data("four".utf8)))
    try await redeem([TestLedger.purchase(TestLedger.coins, 4)], .signedTransaction("five"))
    fixture.clock.advance(seconds: 3600)

    let proofs = try await fixture.ledger.takeDueProofs().map(\.proof)
    #expect(
      Set(proofs) == [
        .appReceipt(Data("one".utf8)), .appReceipt(Data("three".utf8)), .legacyReceipt(Data("four".utf8)),
      ])
    // After their last verification, the proofs are deleted.
    fixture.clock.advance(seconds: 100_000)
    #expect(try await fixture.ledger.takeDueProofs() == [])
    let left = try await fixture.database.read { transaction in
      try transaction.rows("SELECT digest FROM stored_proof").count
        + transaction.rows("SELECT id FROM claim WHERE proof IS NOT NULL").count
    }
    #expect(left == 0)
  }

  @Test("A proof that is sent repeatedly is still verified again", arguments: LedgerEngine.allCases)
  func sentAgain(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let ada = try await fixture.identified("ada")
    for _ in 1...3 {
      _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada)
      fixture.clock.advance(seconds: 1800)
    }

    #expect(try await fixture.ledger.takeDueProofs().count == 1)
  }

  @Test("A refund in a proof is recorded, whatever the proof was sent for", arguments: LedgerEngine.allCases)
  func shownBeside(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, book) = (try await fixture.identified("ada"), TestLedger.purchase(TestLedger.book, 1))
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), for: ada)

    let proof = TestLedger.proof([book, TestLedger.purchase(TestLedger.coins, 2, refunded: 100_000)], stated: 5)
    let redemption = try await fixture.ledger.redeem(proof, .everythingOwned, for: ada)

    #expect(redemption.purchases.map(\.transactionID) == [TransactionID(1)])
    #expect(try await fixture.balance(of: ada.customer) == 0)
    try await fixture.checkBalances()
  }

  @Test(
    "A server without reverification for an app leaves its proofs to a server with it", arguments: LedgerEngine.allCases
  )
  func otherServer(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: try await fixture.identified("ada"))
    fixture.clock.advance(seconds: 200_000)
    for apps in [[:], [TestLedger.app: LedgerSettings()]] {
      let other = try await Ledger(database: fixture.database, anchors: .apple, apps: apps, clock: fixture.clock)
      #expect(try await other.takeDueProofs() == [])
    }
    let asking = try await Ledger(
      database: fixture.database, anchors: .apple, apps: [TestLedger.app: LedgerSettings(reverificationSeconds: 60)],
      clock: fixture.clock)
    #expect(try await asking.takeDueProofs().count == 1)
  }

  @Test("A moved claim is still verified, also if its previous customer was erased", arguments: LedgerEngine.allCases)
  func moved(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine, settings)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada)
    try await fixture.ledger.move(
      TransactionID(1), in: .production, app: TestLedger.app, to: ben.customer, reason: "r", by: "olga")
    try await fixture.ledger.erase(ada.customer)
    fixture.clock.advance(seconds: 3600)

    #expect(try await fixture.ledger.takeDueProofs().map(\.customer) == [ben.customer])
  }

  @Test("Without verifyReceipt, and for refused purchases, no proof is stored", arguments: LedgerEngine.allCases)
  func notKept(_ engine: LedgerEngine) async throws {
    let offline = try await TestLedger.open(engine)
    _ = try await offline.redeem(TestLedger.purchase(TestLedger.book, 1), for: try await offline.identified("ada"))
    let fixture = try await TestLedger.open(engine, settings)
    _ = try await fixture.redeem(
      TestLedger.purchase(ProductID("com.example.unknown"), 1), for: try await fixture.identified("ada"))

    for fixture in [offline, fixture] {
      fixture.clock.advance(seconds: 99_999)
      #expect(try await fixture.ledger.takeDueProofs() == [])
    }
  }

  @Test(
    "The store's answer is applied to every claim of the receipt, of any customer", arguments: LedgerEngine.allCases)
  func recordStatuses(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.book, 1), for: ada)
    _ = try await fixture.redeem(TestLedger.purchase(TestLedger.coins, 2), for: ben)

    let found = try await fixture.ledger.recordStatuses(
      from: TestLedger.proof(
        [
          TestLedger.purchase(TestLedger.book, 1, refunded: 100_000),
          TestLedger.purchase(TestLedger.coins, 2, refunded: 100_000),
          TestLedger.purchase(TestLedger.coins, 3, refunded: 100_000),
        ], stated: 10))

    #expect((found.claims, found.changed) == (2, 2))
    #expect(try await fixture.owned(by: ada.customer) == [])
    #expect(try await fixture.balance(of: ben.customer) == 0)
    try await fixture.checkBalances()
  }

  @Test("A reversed refund found by the schedule begins a new delivery", arguments: LedgerEngine.allCases)
  func deliveredAgain(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ada = try await fixture.identified("ada")
    let book = TestLedger.purchase(TestLedger.book, 1)
    let first = try #require(try await fixture.redeem(book, for: ada).given?.delivery)
    let refunded = TestLedger.purchase(TestLedger.book, 1, refunded: 100_000)
    try await fixture.ledger.recordStatuses(from: TestLedger.proof([refunded], stated: 10))
    #expect(try await fixture.ledger.deliveries(of: ada.customer, app: TestLedger.app) == [])

    try await fixture.ledger.recordStatuses(from: TestLedger.proof([book], stated: 20))

    let deliveries = try await fixture.ledger.deliveries(of: ada.customer, app: TestLedger.app).map(\.id)
    #expect(deliveries.count == 1 && deliveries != [first])
  }
}
