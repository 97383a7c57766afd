import Foundation
import SignedData
import StoreModel
import Testing

@testable import PurchaseLedger

/// Proofs of the second in which an installation registered (Documentation/threat-model.md, "Joining an earlier installation").
@Suite("A proof of the second of the registration", .timeLimit(.minutes(30)))
struct SameSecondTests {
  private static let device = UUID(uuidString: "10000000-0000-4000-8000-000000000001")!
  private let book = TestLedger.purchase(TestLedger.book, 1)
  private let coins = TestLedger.purchase(TestLedger.coins, 2)

  /// A ledger with a server's clock and a store's clock, and an owner with a book and five coins.
  private struct Play {
    let ledger: Ledger
    let server: ManualClock
    let store: ManualClock
    let owner: Claimant

    /// Checks that a redemption joined the installation to the owner, coins included.
    func expectJoined(_ redemption: Redemption, at location: SourceLocation = #_sourceLocation) async throws {
      #expect(redemption.customer == owner.customer, sourceLocation: location)
      let credits = try await ledger.creditBalances(of: redemption.customer, app: TestLedger.app).credits
      #expect(credits.map(\.balance) == [5], sourceLocation: location)
    }

    init(_ engine: LedgerEngine, _ purchases: [ProvenPurchase]) async throws {
      let database = try await engine.makeDatabase()
      _ = try await TestLedger.open(on: database)
      server = ManualClock(TestLedger.start.adding(seconds: 1_000_000))
      store = ManualClock(TestLedger.start)
      ledger = try await Ledger(
        database: database, anchors: .apple, apps: [TestLedger.app: LedgerSettings()], clock: server,
        accessClock: store)
      owner = try await Self.installation(ledger)
      server.advance(seconds: 60)
      store.advance(seconds: 60)
      _ = try await ledger.redeem(
        Self.proof(purchases, store.now), .purchases(purchases.map { .init(transactionID: $0.transactionID) }),
        for: owner)
      server.advance(seconds: 60)
      store.set(store.now.adding(milliseconds: 60_300))
    }

    static func installation(_ ledger: Ledger) async throws -> Claimant {
      try await ledger.authenticate(
        try await ledger.registerInstallation(app: TestLedger.app, device: .vendorIdentifier(device)).token)
    }

    func newcomer() async throws -> Claimant { try await Self.installation(ledger) }

    /// A receipt has whole seconds, a signed transaction milliseconds.
    static func proof(_ purchases: [ProvenPurchase], _ date: StoreDate, isJWS: Bool = false) -> VerifiedProof {
      let issued = isJWS ? date : date.wholeSeconds
      return VerifiedProof(
        proof: isJWS ? .signedTransaction("jws") : .appReceipt(Data("receipt".utf8)), app: TestLedger.app,
        environment: .production, statedDate: issued, issuedDate: issued, purchases: purchases,
        isIssued: { $0 == .vendorIdentifier(device) })
    }

    func redeem(
      _ purchase: ProvenPurchase, _ date: StoreDate, isJWS: Bool = false, for claimant: Claimant
    ) async throws
      -> Redemption
    {
      try await ledger.redeem(
        Self.proof([purchase], date, isJWS: isJWS), .purchases([.init(transactionID: purchase.transactionID)]),
        for: claimant)
    }
  }

  @Test(
    "D1 G6 a receipt of the second of the registration joins nobody and changes nothing; a receipt of the next second joins",
    arguments: LedgerEngine.allCases)
  func receipt(_ engine: LedgerEngine) async throws {
    let play = try await Play(engine, [book, coins])
    let newcomer = try await play.newcomer()
    let ambiguous = play.store.now
    play.store.set(ambiguous.adding(milliseconds: 400))
    play.server.set(play.server.now.adding(milliseconds: 400))
    await #expect(throws: LedgerError.proofNotNewer(retryAfterSeconds: 2)) {
      _ = try await play.redeem(book, ambiguous, for: newcomer)
    }
    #expect(try await play.ledger.entitlements(of: newcomer.customer, app: TestLedger.app).isEmpty)
    let owned = try await play.ledger.entitlements(of: play.owner.customer, app: TestLedger.app)
    #expect(owned.map(\.ended) == [nil])

    play.store.advance(seconds: 1)
    play.server.advance(seconds: 1)
    // The same receipt is still ambiguous.
    await #expect(throws: LedgerError.proofNotNewer(retryAfterSeconds: 1)) {
      _ = try await play.redeem(book, ambiguous, for: newcomer)
    }
    let joined = try await play.redeem(book, play.store.now, for: newcomer)
    #expect(joined.customer == play.owner.customer)
  }

  @Test(
    "D1 if the store's clock stands, the installation is joined after two seconds", arguments: LedgerEngine.allCases,
    [false, true])
  func standing(_ engine: LedgerEngine, isJWS: Bool) async throws {
    let play = try await Play(engine, [book, coins])
    let newcomer = try await play.newcomer()
    await #expect(throws: LedgerError.proofNotNewer(retryAfterSeconds: 2)) {
      _ = try await play.redeem(book, play.store.now, isJWS: isJWS, for: newcomer)
    }
    play.server.advance(seconds: 2)
    let joined = try await play.redeem(book, play.store.now, isJWS: isJWS, for: newcomer)
    try await play.expectJoined(joined)
  }

  @Test(
    "D1 an installation is joined although the store's clock has not reached the date of its registration",
    arguments: LedgerEngine.allCases)
  func estimatedDate(_ engine: LedgerEngine) async throws {
    let play = try await Play(engine, [book, coins])
    let standing = play.store.now
    // The emulator does not answer, and its date is estimated.
    play.store.advance(seconds: 3600)
    let newcomer = try await play.newcomer()
    play.store.set(standing)
    #expect(try await play.redeem(book, standing, for: newcomer).customer == newcomer.customer)
    play.server.advance(seconds: 2)
    let joined = try await play.redeem(book, standing, for: newcomer)
    try await play.expectJoined(joined)
  }

  @Test(
    "D1 a client that never refreshes its receipt gets the book after a minute, without being joined",
    arguments: LedgerEngine.allCases)
  func neverRefreshed(_ engine: LedgerEngine) async throws {
    let play = try await Play(engine, [book, coins])
    let newcomer = try await play.newcomer()
    let ambiguous = play.store.now
    play.server.advance(seconds: 60)
    play.store.advance(seconds: 60)
    let result = try await play.redeem(book, ambiguous, for: newcomer)
    #expect(result.customer == newcomer.customer)
    #expect(result.purchases.first?.outcome.given != nil)
  }

  @Test(
    "D1 G6 signed transactions are compared in milliseconds", arguments: LedgerEngine.allCases, [Int64(-1), 0, 1])
  func signedTransaction(_ engine: LedgerEngine, milliseconds: Int64) async throws {
    let play = try await Play(engine, [book, coins])
    let newcomer = try await play.newcomer()
    let date = play.store.now.adding(milliseconds: milliseconds)
    if milliseconds == 0 {
      await #expect(throws: LedgerError.self) { _ = try await play.redeem(book, date, isJWS: true, for: newcomer) }
    } else {
      let result = try await play.redeem(book, date, isJWS: true, for: newcomer)
      #expect(result.customer == (milliseconds > 0 ? play.owner : newcomer).customer)
    }
  }

  @Test(
    "G6 a consumable that names an earlier installation needs a newer proof than one of the same second",
    arguments: LedgerEngine.allCases)
  func namedConsumable(_ engine: LedgerEngine) async throws {
    let play = try await Play(engine, [book, coins])
    let newcomer = try await play.newcomer()
    let more = TestLedger.purchase(TestLedger.coins, 3, for: play.owner.customer)
    await #expect(throws: LedgerError.proofNotNewer(retryAfterSeconds: 2)) {
      _ = try await play.redeem(more, play.store.now, for: newcomer)
    }
  }

  @Test(
    "D1 a new customer's first purchase in the second of the registration is given", arguments: LedgerEngine.allCases)
  func newCustomer(_ engine: LedgerEngine) async throws {
    let play = try await Play(engine, [coins])
    let newcomer = try await play.newcomer()
    let first = try await play.redeem(book, play.store.now, for: newcomer)
    #expect(first.purchases.first?.outcome.given != nil)
    // A later installation is joined to this customer.
    play.server.advance(seconds: 60)
    play.store.advance(seconds: 60)
    let next = try await play.newcomer()
    play.store.advance(seconds: 1)
    #expect(try await play.redeem(book, play.store.now, for: next).customer == newcomer.customer)
  }
}
