import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

@Suite(.timeLimit(.minutes(10))) struct ReverificationTests {
  private let settings = LedgerSettings(reverificationSeconds: 3600, reverificationEndsAfterSeconds: 100_000)

  @Test(
    "A proof is asked about when its time has come, by one server, and again a period later",
    arguments: LedgerEngine.allCases)
  func due(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, settings)
    let ada = try await desk.identified("ada")
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: ada)
    #expect(try await desk.ledger.takeDueProofs() == [])

    desk.clock.advance(seconds: 3600)
    let taken = try await withThrowingTaskGroup(of: [StoredProof].self) { group in
      for _ in 0..<8 { group.addTask { try await desk.ledger.takeDueProofs() } }
      return try await group.reduce(into: []) { $0 += $1 }
    }

    #expect(taken.map(\.proof) == [.appReceipt(Data("receipt".utf8))])
    #expect(taken.map(\.customer) == [ada.customer])
    desk.clock.advance(seconds: 3600)
    let again = try await desk.ledger.takeDueProofs()
    #expect(again.count == 1)
    // Postpones the proof, as if the store had been unavailable.
    try await desk.ledger.postpone(again[0], seconds: 10)
    desk.clock.advance(seconds: 10)
    #expect(try await desk.ledger.takeDueProofs().count == 1)
    desk.clock.advance(seconds: 100_000)
    #expect(try await desk.ledger.takeDueProofs() == [])
  }

  @Test(
    "A proof that was kept while the server's clock was years ahead is asked about when the clock is right",
    arguments: LedgerEngine.allCases)
  func clockAhead(_ engine: LedgerEngine) async throws {
    let ahead = try await LedgerDesk.open(engine, settings)
    ahead.clock.advance(seconds: 10 * 365 * 86_400)
    _ = try await ahead.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: try await ahead.identified("ada"))
    let desk = try await LedgerDesk.open(on: ahead.database, settings)
    #expect(try await desk.ledger.takeDueProofs() == [])

    desk.clock.advance(seconds: 3600)

    #expect(try await desk.ledger.takeDueProofs().count == 1)
  }

  @Test(
    "A claim is asked about by the newest proof it came with; a proof that no claim needs is let go",
    arguments: LedgerEngine.allCases)
  func kept(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, settings)
    let ada = try await desk.identified("ada")
    let book = LedgerDesk.purchase(LedgerDesk.book, 9)
    func redeem(_ purchases: [ProvenPurchase], _ proof: PurchaseProof) async throws {
      _ = try await desk.ledger.redeem(
        LedgerDesk.proof(purchases, as: proof),
        .purchases(purchases.map { .init(transactionID: $0.transactionID) }), for: ada)
    }

    // A finished consumable is not in later receipts.
    try await redeem([LedgerDesk.purchase(LedgerDesk.coins, 1), book], .appReceipt(Data("one".utf8)))
    try await redeem([book], .appReceipt(Data("two".utf8)))
    try await redeem([LedgerDesk.purchase(LedgerDesk.coins, 2), book], .appReceipt(Data("three".utf8)))
    try await redeem([LedgerDesk.purchase(LedgerDesk.coins, 3)], .legacyReceipt(Data("four".utf8)))
    try await redeem([LedgerDesk.purchase(LedgerDesk.coins, 4)], .signedTransaction("five"))
    desk.clock.advance(seconds: 3600)

    let proofs = try await desk.ledger.takeDueProofs().map(\.proof)
    #expect(
      Set(proofs) == [
        .appReceipt(Data("one".utf8)), .appReceipt(Data("three".utf8)), .legacyReceipt(Data("four".utf8)),
      ])
    // After their last verification, the proofs are deleted.
    desk.clock.advance(seconds: 100_000)
    #expect(try await desk.ledger.takeDueProofs() == [])
    let left = try await desk.database.read { transaction in
      try transaction.rows("SELECT digest FROM stored_proof").count
        + transaction.rows("SELECT id FROM claim WHERE proof IS NOT NULL").count
    }
    #expect(left == 0)
  }

  @Test("A proof that is sent again and again is asked about all the same", arguments: LedgerEngine.allCases)
  func sentAgain(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, settings)
    let ada = try await desk.identified("ada")
    for _ in 1...3 {
      _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: ada)
      desk.clock.advance(seconds: 1800)
    }

    #expect(try await desk.ledger.takeDueProofs().count == 1)
  }

  @Test("A refund that a proof shows is learnt, whatever the proof was sent for", arguments: LedgerEngine.allCases)
  func shownBeside(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, book) = (try await desk.identified("ada"), LedgerDesk.purchase(LedgerDesk.book, 1))
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), for: ada)

    let proof = LedgerDesk.proof([book, LedgerDesk.purchase(LedgerDesk.coins, 2, refunded: 100_000)], stated: 5)
    let redemption = try await desk.ledger.redeem(proof, .everythingOwned, for: ada)

    #expect(redemption.purchases.map(\.transactionID) == [TransactionID(1)])
    #expect(try await desk.balance(of: ada.customer) == 0)
    try await desk.checkBooks()
  }

  @Test("A server that does not ask about an app leaves its proofs to one that does", arguments: LedgerEngine.allCases)
  func otherServer(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, settings)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: try await desk.identified("ada"))
    desk.clock.advance(seconds: 200_000)
    for apps in [[:], [LedgerDesk.app: LedgerSettings()]] {
      let other = try await Ledger(database: desk.database, anchors: .apple, apps: apps, clock: desk.clock)
      #expect(try await other.takeDueProofs() == [])
    }
    let asking = try await Ledger(
      database: desk.database, anchors: .apple, apps: [LedgerDesk.app: LedgerSettings(reverificationSeconds: 60)],
      clock: desk.clock)
    #expect(try await asking.takeDueProofs().count == 1)
  }

  @Test("What moves is asked about still, also when who had it is erased", arguments: LedgerEngine.allCases)
  func moved(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine, settings)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: ada)
    try await desk.ledger.move(
      TransactionID(1), in: .production, app: LedgerDesk.app, to: ben.customer, reason: "r", by: "olga")
    try await desk.ledger.erase(ada.customer)
    desk.clock.advance(seconds: 3600)

    #expect(try await desk.ledger.takeDueProofs().map(\.customer) == [ben.customer])
  }

  @Test("Without a store to ask, and for what was refused, nothing is kept", arguments: LedgerEngine.allCases)
  func notKept(_ engine: LedgerEngine) async throws {
    let offline = try await LedgerDesk.open(engine)
    _ = try await offline.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: try await offline.identified("ada"))
    let desk = try await LedgerDesk.open(engine, settings)
    _ = try await desk.redeem(
      LedgerDesk.purchase(ProductID("com.example.unknown"), 1), for: try await desk.identified("ada"))

    for desk in [offline, desk] {
      desk.clock.advance(seconds: 99_999)
      #expect(try await desk.ledger.takeDueProofs() == [])
    }
  }

  @Test("What the store says reaches every claim of the receipt, whoever has it", arguments: LedgerEngine.allCases)
  func learn(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let (ada, ben) = (try await desk.identified("ada"), try await desk.identified("ben"))
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.book, 1), for: ada)
    _ = try await desk.redeem(LedgerDesk.purchase(LedgerDesk.coins, 2), for: ben)

    let found = try await desk.ledger.learn(
      from: LedgerDesk.proof(
        [
          LedgerDesk.purchase(LedgerDesk.book, 1, refunded: 100_000),
          LedgerDesk.purchase(LedgerDesk.coins, 2, refunded: 100_000),
          LedgerDesk.purchase(LedgerDesk.coins, 3, refunded: 100_000),
        ], stated: 10))

    #expect(found == 2)
    #expect(try await desk.owned(by: ada.customer) == [])
    #expect(try await desk.balance(of: ben.customer) == 0)
    try await desk.checkBooks()
  }

  @Test("A refund that the schedule learns is taken back begins a new delivery", arguments: LedgerEngine.allCases)
  func deliveredAgain(_ engine: LedgerEngine) async throws {
    let desk = try await LedgerDesk.open(engine)
    let ada = try await desk.identified("ada")
    let book = LedgerDesk.purchase(LedgerDesk.book, 1)
    let first = try #require(try await desk.redeem(book, for: ada).given?.delivery)
    let refunded = LedgerDesk.purchase(LedgerDesk.book, 1, refunded: 100_000)
    try await desk.ledger.learn(from: LedgerDesk.proof([refunded], stated: 10))
    #expect(try await desk.ledger.deliveries(of: ada.customer, app: LedgerDesk.app) == [])

    try await desk.ledger.learn(from: LedgerDesk.proof([book], stated: 20))

    let deliveries = try await desk.ledger.deliveries(of: ada.customer, app: LedgerDesk.app).map(\.id)
    #expect(deliveries.count == 1 && deliveries != [first])
  }
}
