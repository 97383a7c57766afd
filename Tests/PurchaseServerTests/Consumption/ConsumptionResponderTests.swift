import AppStoreServerAPI
import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

@Suite("The server that answers consumption requests", .timeLimit(.minutes(30)))
struct ConsumptionResponderTests {
  /// A server whose customer has bought coins, has consented and asks for refunds.
  private struct Setting: Sendable {
    let fixture: ServerFixture
    let database: FailingDatabase
    let store: ConsumptionStore
    let responder: ConsumptionResponder
    let reader: ServerFixture.Reader
    let mailbox: NotificationMailbox

    /// - Parameter database: its transactions can be made to fail.
    init(_ database: any LedgerDatabase, _ policy: ConsumptionSettings.Policy = .automatic) async throws {
      self.database = FailingDatabase(database)
      var options = ServerFixture.Options(database: self.database)
      options.settings.consumption = ConsumptionSettings(policy: policy, refundPreference: nil)
      fixture = try await ServerFixture(options)
      store = ConsumptionStore(fixture.bookStore.store)
      mailbox = try await fixture.bookStore.mailbox()
      reader = try await fixture.reader()
      responder = try await Self.responder(of: fixture.ledger, fixture, store)
      try await consent(true)
    }

    static func responder(
      of ledger: Ledger, _ fixture: ServerFixture, _ store: ConsumptionStore
    ) async throws -> ConsumptionResponder {
      ConsumptionResponder(
        ledger: ledger, clients: [BookStore.app: try await store.client(of: BookStore.app, clock: fixture.clock)],
        metrics: fixture.metrics, clock: fixture.clock, logger: fixture.log.logger)
    }

    /// Another server of the same ledger.
    func otherServer() async throws -> ConsumptionResponder {
      var settings = LedgerSettings()
      settings.consumption = ConsumptionSettings(policy: .automatic)
      let ledger = try await Ledger(
        database: database, anchors: fixture.bookStore.anchors, apps: [BookStore.app: settings], clock: fixture.clock)
      return try await Self.responder(of: ledger, fixture, store)
    }

    func consent(_ isGiven: Bool) async throws {
      let customer = try #require(CustomerID(reader.customer))
      _ = try await fixture.ledger.setConsent(
        toConsumptionInformation: isGiven, of: customer, app: BookStore.app)
    }

    /// Buys and redeems coins, and asks for a refund.
    ///
    /// - Returns: the transactions.
    func asked(_ count: Int = 1) async throws -> [TransactionID] {
      let phone = try await fixture.bookStore.phone()
      var ids: [TransactionID] = []
      for number in 1...count {
        let coins = try await fixture.bookStore.buy(as: PaymentID("payment \(number)"), on: phone)
        let reply = try await fixture.withClient { try await $0.redeem(coins, token: reader.token) }
        #expect(reply.status == 200, "\(reply.text)")
        try await fixture.bookStore.store.requestRefund(of: coins.id)
        ids.append(coins.id)
      }
      let bodies = try await fixture.bookStore.posted(to: mailbox)
      try await fixture.withClient { client async throws in
        for body in bodies { #expect(try await client.notify(body).status == 200) }
      }
      return ids
    }

    func request() async throws -> RecordedConsumptionRequest {
      try #require(try await fixture.ledger.consumptionRequests(of: BookStore.app, limit: 10).elements.first)
    }

    /// What the store was told about a transaction; nil if nothing.
    func told(_ id: TransactionID) async throws -> ConsumptionRequest? {
      let requests = try await fixture.bookStore.store.refundRequests(of: id)
      return try requests.last?.consumption.map {
        try JSONDecoder().decode(ConsumptionRequest.self, from: Data($0.content.utf8))
      }
    }
  }

  private static func with(
    _ kind: LedgerDatabaseKind, _ policy: ConsumptionSettings.Policy = .automatic,
    _ body: (Setting) async throws -> Void
  ) async throws {
    try await kind.withDatabase { try await body(try await Setting($0, policy)) }
  }

  @Test(
    "5xx, no answer and 429 are tried again after pauses, not before Retry-After is over; then it is answered",
    arguments: LedgerDatabaseKind.allCases)
  func retries(_ kind: LedgerDatabaseKind) async throws {
    try await Self.with(kind) { setting in
      let (fixture, responder) = (setting.fixture, setting.responder)
      let id = try await setting.asked()[0]
      setting.store.answer(.status(503), .lost, .error(.rateLimitExceeded, retryAfter: "600"))
      #expect(await responder.answerAll() == 60)
      var request = try await setting.request()
      #expect(request.state == .open && request.problem?.contains("503") == true)
      let failed = fixture.metrics.store[BookStore.app]
      #expect(failed.failure?.detail.contains("503") == true && failed.answered == nil)
      // Nothing is sent before the pause is over.
      #expect(await responder.answerAll() == 60 && setting.store.calls.count == 1)
      fixture.clock.advance(seconds: 60)
      #expect(await responder.answerAll() == 120)
      fixture.clock.advance(seconds: 120)
      #expect(await responder.answerAll() == 240)
      #expect(setting.store.calls == [id, id, id])
      fixture.clock.advance(seconds: 240)
      // 360 seconds of the store's pause are left, so no call is made.
      #expect(await responder.answerAll() == 480 && setting.store.calls.count == 3)
      fixture.clock.advance(seconds: 480)
      #expect(await responder.answerAll() == ConsumptionResponder.longestWaitSeconds)
      request = try await setting.request()
      #expect((request.state, request.problem, request.attempts) == (.answered, nil, 5))
      #expect(fixture.metrics.store[BookStore.app].answered == fixture.clock.now)
      #expect(try await setting.told(id)?.consumptionPercentage == 0)
      let metrics = fixture.metrics.text(underWay: 0)
      #expect(metrics.contains(#"consumption_requests_total{outcome="failed"} 4"#))
      #expect(metrics.contains(#"consumption_requests_total{outcome="answered"} 1"#))
    }
  }

  @Test(
    "An answer that the store refuses is not repeated; the log has no transaction and no customer",
    arguments: LedgerDatabaseKind.allCases)
  func refused(_ kind: LedgerDatabaseKind) async throws {
    try await Self.with(kind) { setting in
      let id = try await setting.asked()[0]
      setting.store.answer(then: .error(.invalidDeliveryStatus))
      #expect(await setting.responder.answerAll() == ConsumptionResponder.longestWaitSeconds)
      let request = try await setting.request()
      #expect(request.state == .refused && request.problem?.contains("4000036") == true)
      let contact = setting.fixture.metrics.store[BookStore.app]
      #expect(contact.answered == setting.fixture.clock.now && contact.failure == nil)
      setting.fixture.clock.advance(seconds: 3_600)
      _ = await setting.responder.answerAll()
      #expect(setting.store.calls.count == 1)
      let lines = setting.fixture.log.lines.filter { $0.contains("consumption request") }
      #expect(lines.count == 1 && lines[0].hasPrefix("error"))
      #expect(!lines[0].contains(id.rawValue) && !lines[0].contains(setting.reader.customer))
    }
  }

  @Test(
    "A server that is killed after the store has the answer: it is sent again after the lease, by another server, with the same values",
    arguments: LedgerDatabaseKind.allCases)
  func killed(_ kind: LedgerDatabaseKind) async throws {
    try await Self.with(kind) { setting in
      let id = try await setting.asked()[0]
      let database = setting.database
      setting.store.answer(.own { database.fail(writes: 1) })
      #expect(await setting.responder.answerAll() == ConsumptionResponder.errorWaitSeconds)
      let told = try await setting.told(id)
      #expect(told != nil)
      #expect(try await setting.request().state == .open)

      let other = try await setting.otherServer()
      #expect(await other.answerAll() == Double(ConsumptionLease.seconds) && setting.store.calls.count == 1)
      setting.fixture.clock.advance(seconds: ConsumptionLease.seconds)
      #expect(await other.answerAll() == ConsumptionResponder.longestWaitSeconds)
      #expect(setting.store.calls == [id, id])
      #expect(try await setting.told(id) == told)
      #expect(try await setting.request().state == .answered)
    }
  }

  @Test("Two servers of a ledger answer each request once", arguments: LedgerDatabaseKind.allCases)
  func twoServers(_ kind: LedgerDatabaseKind) async throws {
    try await Self.with(kind) { setting in
      let ids = try await setting.asked(6)
      let (one, other) = (setting.responder, try await setting.otherServer())
      async let first = one.answerAll()
      async let second = other.answerAll()
      _ = await (first, second)
      #expect(setting.store.calls.sorted() == ids.sorted())
    }
  }

  @Test(
    "The deadline passes while the store is away, or without an operator's answer: expired, with a warning and a count",
    arguments: LedgerDatabaseKind.allCases, [ConsumptionSettings.Policy.automatic, .ask])
  func expired(_ kind: LedgerDatabaseKind, _ policy: ConsumptionSettings.Policy) async throws {
    try await Self.with(kind, policy) { setting in
      _ = try await setting.asked()
      setting.store.answer(then: .status(503))
      let wait = await setting.responder.answerAll()
      #expect(wait == (policy == .ask ? ConsumptionResponder.longestWaitSeconds : 60))
      // The store's dates of several events at one moment follow one another.
      setting.fixture.clock.advance(seconds: 43_300)
      #expect(await setting.responder.answerAll() == ConsumptionResponder.longestWaitSeconds)
      #expect(try await setting.request().state == .expired)
      #expect(setting.store.calls.count == (policy == .ask ? 0 : 1))
      #expect(setting.fixture.metrics.text(underWay: 0).contains(#"consumption_requests_total{outcome="expired"} 1"#))
      let warning = "warning A consumption request was not answered within its twelve hours"
      #expect(setting.fixture.log.lines.filter { $0.hasPrefix(warning) }.count == 1)
    }
  }

  @Test("A server without a key for the app sends nothing, and says why")
  func noKey() async throws {
    try await Self.with(.sqlite) { setting in
      _ = try await setting.asked()
      var responder = setting.responder
      responder = ConsumptionResponder(
        ledger: responder.ledger, clients: [:], metrics: responder.metrics, clock: responder.clock,
        logger: responder.logger)
      #expect(await responder.answerAll() == 60)
      #expect(try await setting.request().problem?.contains("no key") == true)
    }
  }
}
