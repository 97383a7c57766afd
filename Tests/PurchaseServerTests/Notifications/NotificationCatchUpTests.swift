import AppStoreServerAPI
import Foundation
import HTTPTransport
import PurchaseLedger
import ServiceLifecycle
import SharedFixtures
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

@Suite("Notifications that are read from the history", .timeLimit(.minutes(30)))
struct NotificationCatchUpTests {
  /// A server of a store whose notifications are lost.
  private struct Setting {
    let fixture: ServerFixture
    let api: EmulatedServerAPI
    let mailbox: NotificationMailbox
    let catchUp: NotificationCatchUp

    /// - Parameter certificateStatus: whether the status of certificates is asked.
    init(
      _ options: ServerFixture.Options = .init(), minutes: Int64 = 15, clock: any MachineClock = SystemClock(),
      certificateStatus: CertificateStatusCheck.Mode? = nil
    ) async throws {
      fixture = try await ServerFixture(options)
      mailbox = try await fixture.bookStore.mailbox()
      api = EmulatedServerAPI(fixture.bookStore.store)
      fixture.bookStore.store.setOCSPResponder(EmulatedServerAPI.responder)
      let client = try await api.client(of: BookStore.app, clock: fixture.clock)
      let date = fixture.clock
      // The clock runs with the store's, so that an answer is not used again on another day.
      let verifier = try ProofVerifier(
        anchors: try fixture.bookStore.anchors,
        policies: [
          VerificationPolicy(bundleID: BookStore.app, method: .offline, certificateStatus: certificateStatus)
        ],
        server: fixture.receiptServer, transport: api,
        clock: ScriptedClock(
          date: { date.now }, nanoseconds: { date.now.millisecondsSince1970 * 1_000_000 }, sleep: { _ in }))
      catchUp = NotificationCatchUp(
        receiver: NotificationReceiver(
          ledger: fixture.ledger, verifier: verifier, metrics: fixture.metrics, clock: fixture.clock),
        histories: [.sandbox, .production].map { .init(app: BookStore.app, environment: $0, client: client) },
        minutes: minutes, clock: clock, logger: fixture.log.logger)
    }

    var sandbox: NotificationCatchUp.History { catchUp.histories[0] }

    /// The store makes notifications that do not arrive.
    func lose(_ count: Int) async throws {
      for _ in 0..<count {
        fixture.clock.advance(seconds: 1)
        try await fixture.bookStore.store.sendNotification(.test, to: BookStore.app, in: .sandbox)
      }
      _ = try await fixture.bookStore.posted(to: mailbox)
      fixture.clock.advance(seconds: 1)
    }

    func uuids() async throws -> [String] { try await fixture.received().compactMap { $0["uuid"] as? String }.sorted() }

    func sent() async throws -> [String] {
      try await fixture.bookStore.store.notifications().notifications.map(\.uuid).sorted()
    }
  }

  @Test("A refund that was lost is read from the history, once; the next run begins where the last one ended")
  func lost() async throws {
    let setting = try await Setting()
    let (fixture, reader) = (setting.fixture, try await setting.fixture.reader())
    let book = try await fixture.bookStore.buy(BookStore.book, on: fixture.bookStore.phone())
    _ = try await fixture.withClient { try await $0.redeem(book, token: reader.token) }
    fixture.clock.advance(seconds: 60)
    try await fixture.bookStore.store.refund(book.id)
    _ = try await fixture.bookStore.posted(to: setting.mailbox)
    fixture.clock.advance(seconds: 60)

    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 2))
    #expect(try await fixture.belongings(of: reader.token).contains("refunded"))
    #expect(try await fixture.received().allSatisfy { $0["source"] as? String == "history" })
    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 0))

    // Both are older than the overlap now, and are not asked for again.
    fixture.clock.advance(seconds: 8_000)
    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 0))
    setting.api.answer { _, page in
      #expect(page.notificationHistory.isEmpty)
      return page
    }
    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 0))
    #expect(fixture.metrics.text(underWay: 0).contains(#"notifications_total{outcome="recorded",source="history"} 2"#))
  }

  @Test(
    "A run that ends in the middle leaves the cursor: the next run reads the same pages, and records each notification once"
  )
  func interrupted() async throws {
    let setting = try await Setting()
    try await setting.lose(45)
    setting.api.answer { number, page in
      guard number < 3 else { throw HTTPFailure.noAnswer(reason: "the server is killed") }
      return page
    }
    #expect(await setting.catchUp.read(setting.sandbox) == .failed)
    #expect(try await setting.uuids().count == 40)
    setting.api.answer { $1 }
    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 5))
    #expect(setting.api.pages == 3)
    #expect(try await setting.uuids() == setting.sent())
  }

  @Test("A notification that is refused does not hide the others")
  func refused() async throws {
    let setting = try await Setting()
    try await setting.lose(3)
    setting.api.answer { _, page in
      var page = page
      page.notificationHistory[1].signedPayload = "forged"
      return page
    }
    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 2))
    #expect(setting.fixture.log.lines.contains { $0.contains("A notification was refused") })
  }

  @Test("The history is read a day at a time, with one lease: what follows an interrupted run begins on its last day")
  func days() async throws {
    let setting = try await Setting()
    let ledger = setting.fixture.ledger
    try await setting.lose(2)
    setting.fixture.clock.advance(seconds: 129_600)
    try await setting.lose(1)
    setting.api.answer { number, page in
      guard number == 2 else { return page }
      let lease = try await ledger.takeCursor(.notificationHistory, of: BookStore.app, in: .sandbox)
      #expect(lease == .held(seconds: StoreCursor.leaseSeconds))
      throw HTTPFailure.noAnswer(reason: "the server is killed")
    }
    #expect(await setting.catchUp.read(setting.sandbox) == .failed)
    #expect(try await setting.uuids().count == 2)
    setting.api.answer { _, page in
      #expect(page.notificationHistory.count == 1)
      return page
    }
    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 1))
    #expect(setting.api.pages == 1)
    #expect(try await setting.uuids() == setting.sent())
  }

  @Test("A notification that cannot be verified now does not hide later ones; the next run reads it again")
  func unverified() async throws {
    let setting = try await Setting(certificateStatus: .hard)
    let (api, clock) = (setting.api, setting.fixture.clock)
    try await setting.lose(2)
    clock.advance(seconds: 129_600)
    try await setting.lose(1)
    // There is no answer about the certificates of the first day.
    setting.api.answer { number, page in
      api.isResponderDown = number == 1
      clock.advance(seconds: 60)
      return page
    }
    #expect(await setting.catchUp.read(setting.sandbox) == .failed)
    #expect(try await setting.uuids().count == 1)
    #expect(setting.fixture.log.lines.contains { $0.contains("Notifications that cannot be verified now: 2") })
    setting.api.answer { _, page in
      clock.advance(seconds: 60)
      return page
    }
    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 2))
    #expect(try await setting.uuids() == setting.sent())
    // Now the first day is complete.
    setting.api.answer { $1 }
    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 0))
    #expect(setting.api.pages == 1)
  }

  @Test("While the ledger is away nothing is skipped: the next run records what this one could not")
  func ledgerAway() async throws {
    var options = ServerFixture.Options()
    let database = FailingDatabase(try SQLiteLedgerDatabase(at: nil))
    options.database = database
    let setting = try await Setting(options)
    try await setting.lose(5)
    setting.api.answer { _, page in
      database.isFull = true
      return page
    }
    #expect(await setting.catchUp.read(setting.sandbox) == .failed)
    database.isFull = false
    // The lease could not be given back, so it has to end.
    guard case .held(let seconds) = await setting.catchUp.read(setting.sandbox) else {
      Issue.record("the lease is not held")
      return
    }
    setting.fixture.clock.advance(seconds: seconds)
    setting.api.answer { $1 }
    #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 5))
  }

  @Test(
    "Two servers of a ledger: one reads the history, the other waits for it",
    arguments: LedgerDatabaseKind.allCases)
  func twoServers(kind: LedgerDatabaseKind) async throws {
    try await kind.withDatabase { database in
      var options = ServerFixture.Options()
      options.database = database
      let setting = try await Setting(options)
      try await setting.lose(3)
      let gate = Gate()
      setting.api.answer { _, page in
        await gate.pass()
        return page
      }
      let first = Task { await setting.catchUp.read(setting.sandbox) }
      await gate.untilCallerWaits()
      #expect(await setting.catchUp.read(setting.sandbox) == .held(seconds: 120))
      await gate.open()
      #expect(await first.value == .read(received: 3))
      #expect(await setting.catchUp.read(setting.sandbox) == .read(received: 0))
    }
  }

  @Test("It reads when the server starts, and then at the interval; it stops with the server")
  func service() async throws {
    let pauses = ManualWaits<Duration>()
    let clock = ScriptedClock(sleep: { duration in
      await pauses.wait(duration)
      try Task.checkCancellation()
    })
    let setting = try await Setting(minutes: 15, clock: clock)
    try await setting.lose(2)
    let running = Task { try await setting.catchUp.run() }
    #expect(await pauses.next() == .seconds(900))
    #expect(try await setting.uuids().count == 2)
    try await setting.lose(1)
    pauses.release()
    #expect(await pauses.next() == .seconds(900))
    #expect(try await setting.uuids() == setting.sent())
    running.cancel()
    try await running.value
  }
}
