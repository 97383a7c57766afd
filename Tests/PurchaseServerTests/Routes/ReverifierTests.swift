import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Refunds found by reverification", .timeLimit(.minutes(30)))
struct ReverifierTests {
  private static let settings = LedgerSettings(reverificationSeconds: 86_400)

  private func reverifier(of fixture: ServerFixture) -> Reverifier {
    Reverifier(
      ledger: fixture.ledger, verifier: fixture.verifier, pauseSeconds: 60, metrics: fixture.metrics,
      logger: fixture.log.logger)
  }

  @Test("a refund in the store is recorded when the proof is due, not before, and once")
  func recorded() async throws {
    let fixture = try await ServerFixture(
      .init(method: .verifyReceipt(TestReceiptServer.policy), settings: Self.settings))
    let (phone, reader) = (try await fixture.bookStore.phone(), try await fixture.reader())
    let book = try await fixture.bookStore.buy(BookStore.book, on: phone)
    #expect(try await fixture.withClient { try await $0.redeem(book, token: reader.token) }.status == 200)
    let reverifier = reverifier(of: fixture)
    fixture.clock.advance(seconds: 60)
    _ = try await fixture.bookStore.store.refund(book.id)
    #expect(try await reverifier.verifyDue() == 0)
    let before = try await fixture.withClient {
      try await $0.get("\(ServerFixture.path)/entitlements", token: reader.token)
    }
    #expect(before.list("entitlements").first?["isActive"] as? Bool == true)
    fixture.clock.advance(seconds: 86_400)
    #expect(try await reverifier.verifyDue() == 1)
    let after = try await fixture.withClient {
      try await $0.get("\(ServerFixture.path)/entitlements", token: reader.token)
    }
    #expect(after.list("entitlements").first?["isActive"] as? Bool == false)
    #expect(after.list("entitlements").first?["endReason"] as? String == "refunded")
    #expect(try await reverifier.verifyDue() == 0)
    #expect(fixture.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="learnt"} 1"#))
  }

  @Test("an unreachable store: the verification is postponed by ten minutes, and nothing is revoked")
  func storeAway() async throws {
    let fixture = try await ServerFixture(
      .init(method: .verifyReceipt(TestReceiptServer.policy), settings: Self.settings))
    let reader = try await fixture.reader()
    let book = try await fixture.bookStore.buy(BookStore.book, on: fixture.bookStore.phone())
    _ = try await fixture.withClient { try await $0.redeem(book, token: reader.token) }
    let reverifier = reverifier(of: fixture)
    fixture.clock.advance(seconds: 86_400)
    fixture.receiptServer.behavior = .unreachable
    #expect(try await reverifier.verifyDue() == 1)
    #expect(fixture.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="storeUnavailable"} 1"#))
    let entitlements = try await fixture.withClient {
      try await $0.get("\(ServerFixture.path)/entitlements", token: reader.token)
    }
    #expect(entitlements.list("entitlements").first?["isActive"] as? Bool == true)
    fixture.receiptServer.behavior = .normal
    fixture.clock.advance(seconds: Reverifier.retryDelaySeconds - 1)
    #expect(try await reverifier.verifyDue() == 0)
    fixture.clock.advance(seconds: 1)
    #expect(try await reverifier.verifyDue() == 1)
    #expect(fixture.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="learnt"} 1"#))
  }

  /// Returns a server with three customers who have coins, and whose proofs are due.
  private func due(on database: (any LedgerDatabase)? = nil) async throws -> ServerFixture {
    let fixture = try await ServerFixture(
      .init(method: .verifyReceipt(TestReceiptServer.policy), settings: Self.settings, database: database))
    for name in ["ada", "bob", "eve"] {
      let coins = try await fixture.bookStore.buy(as: PaymentID(name), on: fixture.bookStore.phone(name))
      let reader = try await fixture.reader()
      #expect(try await fixture.withClient { try await $0.redeem(coins, token: reader.token) }.status == 200)
    }
    fixture.clock.advance(seconds: 86_400)
    return fixture
  }

  private func hasRecorded(_ count: Int, in fixture: ServerFixture) -> Bool {
    fixture.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="learnt"} \#(count)"#)
  }

  @Test("an answer that the ledger refuses does not stop the others, and is verified again soon")
  func oneFails() async throws {
    let database = FailingDatabase(try SQLiteLedgerDatabase(at: nil))
    let (fixture, gate) = (try await due(on: database), Gate())
    let reverifier = reverifier(of: fixture)
    fixture.receiptServer.wait(for: gate)
    async let page = reverifier.verifyDue()
    await gate.untilCallerWaits()
    database.fail(writes: 1)
    await gate.open()
    #expect(try await page == 3)
    #expect(hasRecorded(2, in: fixture))
    #expect(fixture.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="failed"} 1"#))
    #expect(try await reverifier.verifyDue() == 0)
    fixture.clock.advance(seconds: Reverifier.retryDelaySeconds)
    #expect(try await reverifier.verifyDue() == 1)
    #expect(hasRecorded(3, in: fixture))
  }

  @Test("a ledger that fails in the middle of a page: the remaining proofs are postponed, not lost")
  func ledgerAway() async throws {
    let database = FailingDatabase(try SQLiteLedgerDatabase(at: nil))
    let (fixture, gate) = (try await due(on: database), Gate())
    let (reverifier, before) = (reverifier(of: fixture), fixture.receiptServer.requestCount)
    fixture.receiptServer.wait(for: gate)
    let page = Task { try await reverifier.verifyDue() }
    await gate.untilCallerWaits()
    database.isUnavailable = true
    await gate.open()
    await #expect(throws: LedgerDatabaseError.unavailable(reason: "the database is unavailable")) {
      try await page.value
    }
    await #expect(throws: LedgerDatabaseError.unavailable(reason: "the database is unavailable")) {
      try await reverifier.verifyDue()
    }
    // The store is asked about only one receipt, at both of its endpoints.
    #expect(fixture.receiptServer.requestCount == before + 2)
    database.isUnavailable = false
    #expect(try await reverifier.verifyDue() == 0)
    fixture.clock.advance(seconds: Reverifier.retryDelaySeconds)
    #expect(try await reverifier.verifyDue() == 3)
    #expect(hasRecorded(3, in: fixture))
  }

  @Test(
    "a server that stops in the middle of a page: the remaining proofs are due soon",
    arguments: LedgerDatabaseKind.allCases)
  func stopped(kind: LedgerDatabaseKind) async throws {
    try await kind.withDatabase { database in
      let (fixture, gate) = (try await due(on: database), Gate())
      let reverifier = reverifier(of: fixture)
      fixture.receiptServer.wait(for: gate)
      let page = Task { try await reverifier.verifyDue() }
      await gate.untilCallerWaits()
      page.cancel()
      await gate.open()
      #expect(try await page.value == 3)
      #expect(try await reverifier.verifyDue() == 0)
      fixture.clock.advance(seconds: Reverifier.retryDelaySeconds)
      // A cancelled task can write nothing any more, so the first proof is due as well.
      #expect(try await reverifier.verifyDue() == 3)
      #expect(hasRecorded(3, in: fixture))
    }
  }

  @Test(
    "over the network: a refund in a running emulator reaches the ledger, and the app receives it with its next request"
  )
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
        ledger: ledger, verifier: verifier, pauseSeconds: 60, metrics: ServiceMetrics(), logger: DownloadFixture.logger)
      #expect(try await reverifier.verifyDue() == 1)
      let entitlement = try await ledger.entitlements(of: installation.customer, app: BookStore.app).first
      #expect(entitlement?.endReason == .refunded)
      try await receipts.close()
    }
  }
}
