import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Refunds that nobody tells of", .timeLimit(.minutes(10)))
struct ReverifierTests {
  private static let settings = LedgerSettings(reverificationSeconds: 86_400)

  private func reverifier(of room: ReadingRoom) -> Reverifier {
    Reverifier(
      ledger: room.ledger, verifier: room.verifier, pauseSeconds: 60, metrics: room.metrics, logger: room.log.logger)
  }

  @Test("a refund made in the store is learnt when the proof is due, not before; once")
  func learn() async throws {
    let room = try await ReadingRoom(.init(method: .verifyReceipt(StoreDoor.policy), settings: Self.settings))
    let (phone, reader) = (try await room.books.phone(), try await room.reader())
    let book = try await room.books.buy(BookStore.book, on: phone)
    #expect(try await room.doors { try await $0.redeem(book, token: reader.token) }.status == 200)
    let reverifier = reverifier(of: room)
    room.clock.advance(seconds: 60)
    _ = try await room.books.store.refund(book.id)
    #expect(try await reverifier.askDue() == 0)
    let before = try await room.doors { try await $0.get("\(ReadingRoom.path)/entitlements", token: reader.token) }
    #expect(before.list("entitlements").first?["isActive"] as? Bool == true)
    room.clock.advance(seconds: 86_400)
    #expect(try await reverifier.askDue() == 1)
    let after = try await room.doors { try await $0.get("\(ReadingRoom.path)/entitlements", token: reader.token) }
    #expect(after.list("entitlements").first?["isActive"] as? Bool == false)
    #expect(after.list("entitlements").first?["endReason"] as? String == "refunded")
    #expect(try await reverifier.askDue() == 0)
    #expect(room.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="learnt"} 1"#))
  }

  @Test("a store that is away: the question is put off by ten minutes, and nothing is taken back")
  func storeAway() async throws {
    let room = try await ReadingRoom(.init(method: .verifyReceipt(StoreDoor.policy), settings: Self.settings))
    let reader = try await room.reader()
    let book = try await room.books.buy(BookStore.book, on: room.books.phone())
    _ = try await room.doors { try await $0.redeem(book, token: reader.token) }
    let reverifier = reverifier(of: room)
    room.clock.advance(seconds: 86_400)
    room.door.feel(.away)
    #expect(try await reverifier.askDue() == 1)
    #expect(room.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="storeUnavailable"} 1"#))
    let entitlements = try await room.doors {
      try await $0.get("\(ReadingRoom.path)/entitlements", token: reader.token)
    }
    #expect(entitlements.list("entitlements").first?["isActive"] as? Bool == true)
    room.door.feel(.well)
    room.clock.advance(seconds: Reverifier.patienceSeconds - 1)
    #expect(try await reverifier.askDue() == 0)
    room.clock.advance(seconds: 1)
    #expect(try await reverifier.askDue() == 1)
    #expect(room.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="learnt"} 1"#))
  }

  /// Returns a server with three customers who have coins, and whose proofs are due.
  private func due(on database: (any LedgerDatabase)? = nil) async throws -> ReadingRoom {
    let room = try await ReadingRoom(
      .init(method: .verifyReceipt(StoreDoor.policy), settings: Self.settings, database: database))
    for name in ["ada", "bob", "eve"] {
      let coins = try await room.books.buy(as: PaymentID(name), on: room.books.phone(name))
      let reader = try await room.reader()
      #expect(try await room.doors { try await $0.redeem(coins, token: reader.token) }.status == 200)
    }
    room.clock.advance(seconds: 86_400)
    return room
  }

  private func learnt(_ count: Int, in room: ReadingRoom) -> Bool {
    room.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="learnt"} \#(count)"#)
  }

  @Test("what the ledger does not take of one proof keeps no other from being learnt, and is asked again soon")
  func oneFails() async throws {
    let database = MoodyDatabase(try SQLiteLedgerDatabase(at: nil))
    let (room, gate) = (try await due(on: database), Gate())
    let reverifier = reverifier(of: room)
    room.door.wait(for: gate)
    async let page = reverifier.askDue()
    await gate.somebodyWaits()
    database.fail(writes: 1)
    await gate.open()
    #expect(try await page == 3)
    #expect(learnt(2, in: room))
    #expect(room.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="failed"} 1"#))
    #expect(try await reverifier.askDue() == 0)
    room.clock.advance(seconds: Reverifier.patienceSeconds)
    #expect(try await reverifier.askDue() == 1)
    #expect(learnt(3, in: room))
  }

  @Test("a ledger that goes away in the middle of a page: when it is back, what was not asked is put off, not lost")
  func ledgerAway() async throws {
    let database = MoodyDatabase(try SQLiteLedgerDatabase(at: nil))
    let (room, gate) = (try await due(on: database), Gate())
    let (reverifier, before) = (reverifier(of: room), room.door.questionCount)
    room.door.wait(for: gate)
    let page = Task { try await reverifier.askDue() }
    await gate.somebodyWaits()
    database.feel(away: true)
    await gate.open()
    await #expect(throws: LedgerDatabaseError.unavailable(reason: "it is away")) { try await page.value }
    await #expect(throws: LedgerDatabaseError.unavailable(reason: "it is away")) { try await reverifier.askDue() }
    // The store is asked about only one receipt, at both of its endpoints.
    #expect(room.door.questionCount == before + 2)
    database.feel(away: false)
    #expect(try await reverifier.askDue() == 0)
    room.clock.advance(seconds: Reverifier.patienceSeconds)
    #expect(try await reverifier.askDue() == 3)
    #expect(learnt(3, in: room))
  }

  @Test(
    "a server that is stopped in the middle of a page: what was not asked is due soon", arguments: LedgerPlace.allCases)
  func stopped(place: LedgerPlace) async throws {
    try await place.withDatabase { database in
      let (room, gate) = (try await due(on: database), Gate())
      let reverifier = reverifier(of: room)
      room.door.wait(for: gate)
      let page = Task { try await reverifier.askDue() }
      await gate.somebodyWaits()
      page.cancel()
      await gate.open()
      #expect(try await page.value == 3)
      #expect(try await reverifier.askDue() == 0)
      room.clock.advance(seconds: Reverifier.patienceSeconds)
      // In PostgreSQL a cancelled task can write nothing any more, so the first proof is due as well.
      #expect(try await reverifier.askDue() == (place == .sqlite ? 2 : 3))
      #expect(learnt(3, in: room))
    }
  }

  @Test("over the network: a refund in a running emulator reaches the ledger, and the app is told at the next question")
  func overTheNetwork() async throws {
    let emulator = try await BookStore()
    try await emulator.listening { base in
      let policy = VerifyReceiptPolicy(
        productionURL: try #require(URL(string: "\(base)/production/verifyReceipt")),
        sandboxURL: try #require(URL(string: "\(base)/sandbox/verifyReceipt")))
      let receipts = HTTPReceiptServer()
      let clock = emulator.clock
      let ledger = try await Ledger(
        database: SQLiteLedgerDatabase(at: nil), anchors: emulator.anchors, apps: [BookStore.app: Self.settings],
        clock: clock)
      try await ledger.publish(LedgerProduct(id: BookStore.poem, type: .nonConsumable), app: BookStore.app, by: "olga")
      let verifier = try ProofVerifier(
        anchors: emulator.anchors,
        policies: [VerificationPolicy(bundleID: BookStore.app, method: .both(policy))], server: receipts,
        clock: clock)
      let installation = try await ledger.registerInstallation(app: BookStore.app, device: nil)
      let poem = try await emulator.buy(BookStore.poem, on: emulator.phone())
      let proof = try await verifier.verify(.appReceipt(poem.appReceipt), for: BookStore.app)
      let claimant = try await ledger.authenticate(installation.token)
      _ = try await ledger.redeem(proof, .everythingOwned, for: claimant)
      clock.advance(seconds: 86_400)
      _ = try await emulator.store.refund(poem.id)
      clock.advance(seconds: 60)
      let reverifier = Reverifier(
        ledger: ledger, verifier: verifier, pauseSeconds: 60, metrics: ServiceMetrics(), logger: DownloadDesk.logger)
      #expect(try await reverifier.askDue() == 1)
      let entitlement = try await ledger.entitlements(of: installation.customer, app: BookStore.app).first
      #expect(entitlement?.endReason == .refunded)
      try await receipts.close()
    }
  }
}
