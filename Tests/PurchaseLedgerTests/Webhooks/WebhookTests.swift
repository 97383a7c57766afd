import Dispatch
import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import PurchaseLedger

/// Documentation/webhooks.md: settings, secrets, and the cursor of a webhook.
@Suite("Webhooks", .timeLimit(.minutes(30)))
struct WebhookTests {
  private static let url = "https://backend.example/hook"

  @Test("are created, changed, listed and removed, with entries in the audit log", arguments: LedgerEngine.allCases)
  func settings(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    let chosen = WebhookSettings(
      name: "Büro", url: Self.url, apps: [TestLedger.app], types: [.refund, .renewal],
      environments: [.production, .sandbox])
    let (first, secret) = try await ledger.createWebhook(chosen, by: "olga", reason: "r")
    fixture.clock.advance(seconds: 1)
    let second = try await ledger.createWebhook(WebhookSettings(name: "b", url: Self.url), by: "olga").webhook
    #expect(first.settings.apps == chosen.apps && Set(first.settings.types ?? []) == [.refund, .renewal])
    #expect(Set(first.settings.environments) == [.production, .sandbox] && first.settings.name == "Büro")
    #expect(second.settings == WebhookSettings(name: "b", url: Self.url))
    #expect(secret.text.hasPrefix("whsec_") && secret.key.count == 32)
    #expect(WebhookSecret(text: secret.text) == secret && !"\(secret)".contains(secret.text))
    let page = try await ledger.webhooks(limit: 1)
    #expect(page.elements == [first])
    #expect(try await ledger.webhooks(after: page.next, limit: 1).elements == [second])

    let changed = try await ledger.changeWebhook(second.id, isEnabled: false, by: "olga") {
      $0 = WebhookSettings(name: "c", url: "http://127.0.0.1:9/path?token=x")
    }
    #expect(changed.settings.name == "c" && changed.disabled == fixture.clock.now && changed.problem == nil)
    try await ledger.removeWebhook(second.id, by: "olga", reason: "r")
    await #expect(throws: LedgerError.unknownWebhook(second.id)) { try await ledger.webhook(second.id) }
    await #expect(throws: LedgerError.unknownWebhook(second.id)) {
      try await ledger.removeWebhook(second.id, by: "olga")
    }
    await #expect(throws: LedgerError.unknownWebhook(second.id)) {
      try await ledger.changeWebhook(second.id, isEnabled: true, by: "olga")
    }
    await #expect(throws: LedgerError.unknownWebhook(second.id)) {
      try await ledger.rotateWebhookSecret(second.id, by: "olga")
    }
    let entries = try await ledger.auditLog().filter { [first.id, second.id].contains($0.subject) }
    #expect(
      entries.map { "\($0.action) \($0.detail)" }.sorted() == [
        "changeWebhook http://127.0.0.1:9, disabled", "createWebhook https://backend.example",
        "createWebhook https://backend.example: r", "removeWebhook r",
      ])
    try await fixture.database.close()
  }

  @Test("unusable settings are refused")
  func unusable() async throws {
    let ledger = try await TestLedger.open(.sqlite).ledger
    let good = WebhookSettings(name: "a", url: Self.url)
    var all: [WebhookSettings] = []
    for url in [
      "", "ftp://a.example", "https://", "/hook", "https://u:p@a.example/", "https://a.example/#b", "https://ä.example",
    ] {
      all.append(WebhookSettings(name: "a", url: url))
    }
    all.append(WebhookSettings(name: "a", url: "https://a.example/" + String(repeating: "x", count: 2_000)))
    all.append(WebhookSettings(name: "", url: Self.url))
    all.append(WebhookSettings(name: "a\nb", url: Self.url))
    all.append(WebhookSettings(name: "a", url: Self.url, apps: []))
    all.append(WebhookSettings(name: "a", url: Self.url, apps: ["com.example.none"]))
    all.append(WebhookSettings(name: "a", url: Self.url, types: []))
    all.append(WebhookSettings(name: "a", url: Self.url, types: [.test]))
    all.append(WebhookSettings(name: "a", url: Self.url, environments: []))
    let id = try await ledger.createWebhook(good, by: "olga").webhook.id
    for settings in all {
      await #expect(throws: LedgerError.self, "\(settings)") { try await ledger.createWebhook(settings, by: "olga") }
      await #expect(throws: LedgerError.self, "\(settings)") {
        try await ledger.changeWebhook(id, by: "olga") { $0 = settings }
      }
    }
    for _ in 1..<Webhook.most { _ = try await ledger.createWebhook(good, by: "olga") }
    await #expect(throws: LedgerError.tooManyWebhooks(limit: Webhook.most)) {
      try await ledger.createWebhook(good, by: "olga")
    }
    for text in ["", "whsec_", "whsec_AAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="] {
      #expect(WebhookSecret(text: text) == nil)
    }
  }

  @Test("a change to texts that are canonically equivalent is checked and stored as any other")
  func equivalent() async throws {
    let ledger = try await TestLedger.open(.sqlite).ledger
    let id = try await ledger.createWebhook(
      WebhookSettings(name: String(repeating: "\u{E9}", count: 50), url: "\(Self.url)/K"), by: "olga"
    ).webhook.id
    await #expect(throws: LedgerError.self, "the URL is not ASCII") {
      try await ledger.changeWebhook(id, by: "olga") { $0.url = "\(Self.url)/\u{212A}" }
    }
    await #expect(throws: LedgerError.self, "the name has 150 bytes") {
      try await ledger.changeWebhook(id, by: "olga") { $0.name = String(repeating: "e\u{301}", count: 50) }
    }
    _ = try await ledger.changeWebhook(id, by: "olga") { $0.name = "\u{E9}" }
    let changed = try await ledger.changeWebhook(id, by: "olga") { $0.name = "e\u{301}" }
    #expect(changed.settings.name.hasBytes(of: "e\u{301}") && changed.settings.url == "\(Self.url)/K")
  }

  @Test("of changes at the same time, on two servers, none is lost", arguments: LedgerEngine.allCases)
  func concurrent(_ engine: LedgerEngine) async throws {
    let setting = try await WebhookFixture(engine)
    let (ledger, id) = (setting.ledger, setting.webhook.id)
    let other = try await TestLedger.open(on: setting.fixture.database).ledger
    try await withThrowingTaskGroup(of: Void.self) { group in
      for server in Array(repeating: [ledger, other], count: 10).joined() {
        group.addTask { _ = try await server.changeWebhook(id, by: "olga") { $0.name += "x" } }
      }
      try await group.waitForAll()
    }
    #expect(try await ledger.webhook(id).settings.name == "backend" + String(repeating: "x", count: 20))
    try await setting.fixture.database.close()
  }

  @Test(
    "an app that is no longer configured stays until it is removed, and so do types of a later version",
    arguments: LedgerEngine.allCases)
  func gone(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let (ledger, gone) = (fixture.ledger, BundleID("com.example.gone"))
    let before = try await Ledger(
      database: fixture.database, anchors: .apple, apps: [gone: LedgerSettings()], clock: fixture.clock)
    let id = try await before.createWebhook(
      WebhookSettings(name: "a", url: Self.url, apps: [gone]), by: "olga"
    ).webhook.id
    let both = try await ledger.changeWebhook(id, by: "olga") { $0.apps = [gone, TestLedger.app] }
    #expect(Set(both.settings.apps ?? []) == [gone, TestLedger.app])
    await #expect(throws: LedgerError.unknownApp("com.example.none")) {
      try await ledger.changeWebhook(id, by: "olga") { $0.apps = [gone, "com.example.none"] }
    }
    _ = try await ledger.changeWebhook(id, by: "olga") { $0.apps = [TestLedger.app] }
    await #expect(throws: LedgerError.unknownApp(gone)) {
      try await ledger.changeWebhook(id, by: "olga") { $0.apps = [gone] }
    }

    func storedTypes() async throws -> String? {
      try await fixture.database.read { try $0.row("SELECT types FROM webhook WHERE id = $1", id)?.text("types") }
    }
    _ = try await fixture.database.write(locking: [.webhook(id)]) { transaction in
      try transaction.execute("UPDATE webhook SET types = 'LATER' WHERE id = $1", id)
    }
    let renamed = try await ledger.changeWebhook(id, by: "olga") { $0.name = "b" }
    #expect(renamed.settings.name == "b" && renamed.settings.types == [])
    #expect(try await storedTypes() == "LATER")
    await #expect(throws: LedgerError.self) {
      try await ledger.changeWebhook(id, by: "olga") { $0.types = [.test] }
    }
    _ = try await ledger.changeWebhook(id, by: "olga") { $0.types = [.refund] }
    #expect(try await storedTypes() == "REFUND")
    _ = try await ledger.changeWebhook(id, by: "olga") { $0.types = nil }
    #expect(try await storedTypes() == "")
    try await fixture.database.close()
  }

  @Test("a replaced secret signs for another day", arguments: LedgerEngine.allCases)
  func rotation(_ engine: LedgerEngine) async throws {
    let setting = try await WebhookFixture(engine)
    let (ledger, id) = (setting.ledger, setting.webhook.id)
    func secrets() async throws -> [WebhookSecret] {
      _ = try await ledger.sendTestMessage(to: id, by: "olga")
      let lease = try #require(try await ledger.takeWebhookDelivery())
      _ = try await ledger.settle(lease, .delivered(status: 200))
      return lease.secrets
    }
    #expect(try await secrets() == [setting.secret])
    let (rotated, second) = try await ledger.rotateWebhookSecret(id, by: "olga", reason: "r")
    #expect(rotated.previousSecretUntil == setting.fixture.clock.now.adding(seconds: 86_400))
    #expect(try await secrets() == [second, setting.secret])
    setting.fixture.clock.advance(seconds: 86_399)
    #expect(try await secrets() == [second, setting.secret])
    setting.fixture.clock.advance(seconds: 1)
    #expect(try await secrets() == [second])
    #expect(try await ledger.webhook(id).previousSecretUntil == nil)
    let third = try await ledger.rotateWebhookSecret(id, by: "olga").secret
    let fourth = try await ledger.rotateWebhookSecret(id, by: "olga").secret
    #expect(try await secrets() == [fourth, third])
    try await setting.fixture.database.close()
  }

  // MARK: The cursor

  @Test(
    "a webhook gets the messages that it has chosen, from its creation or from a cursor",
    arguments: LedgerEngine.allCases)
  func chosen(_ engine: LedgerEngine) async throws {
    let fixture = try await TestLedger.open(engine)
    let ledger = fixture.ledger
    let (ada, ben) = (try await fixture.identified("ada"), try await fixture.identified("ben"))
    func redeem(_ product: ProductID, _ id: UInt64, in environment: StoreEnvironment) async throws {
      let proof = TestLedger.proof([TestLedger.purchase(product, id)], in: environment)
      let request = RedemptionRequest.purchases([.init(transactionID: TransactionID(id))])
      _ = try await ledger.redeem(proof, request, for: ada)
    }
    func create(
      _ name: String, after cursor: LedgerEventCursor? = nil, _ change: (inout WebhookSettings) -> Void
    )
      async throws -> String
    {
      var settings = WebhookSettings(name: name, url: Self.url)
      change(&settings)
      return try await ledger.createWebhook(settings, after: cursor, by: "olga").webhook.id
    }
    try await redeem(TestLedger.book, 1, in: .production)
    let all = try await LedgerReplay.events(of: ledger)
    let start = LedgerEventCursor(generation: all[0].cursor.generation, .start)

    let webhooks = [
      try await create("new") { _ in },
      try await create("all", after: start) { $0.environments = StoreEnvironment.allCases },
      try await create("sandbox") { $0.environments = [.sandbox] },
      try await create("credits") { $0.types = [.virtualCurrencyTransaction] },
    ]
    try await redeem(TestLedger.magazine, 2, in: .production)
    try await redeem(TestLedger.coins, 3, in: .sandbox)
    try await ledger.grant(
      .credits(TestLedger.coin, 7), to: ben.customer, app: TestLedger.app, key: "k", reason: "r", by: "olga")
    _ = try await LedgerReplay.events(of: ledger)
    #expect(try await ledger.takeMessages() == 2 + 4 + 2 + 1)
    #expect(try await ledger.takeMessages() == 0)
    let expected: [[WebhookMessageType]] = [
      [.nonRenewingPurchase, .virtualCurrencyTransaction],
      [.nonRenewingPurchase, .nonRenewingPurchase, .nonRenewingPurchase, .virtualCurrencyTransaction],
      // Movements of credits have no environment.
      [.nonRenewingPurchase, .virtualCurrencyTransaction], [.virtualCurrencyTransaction],
    ]
    for (webhook, types) in zip(webhooks, expected) {
      let deliveries = try await ledger.webhookDeliveries(of: webhook, limit: 10).elements.reversed()
      #expect(deliveries.map(\.type) == types)
      #expect(deliveries.map(\.number) == (1...Int64(types.count)).map { $0 })
    }
    let foreign = try await TestLedger.open(.sqlite).ledger
    await #expect(throws: LedgerError.unknownCursor) {
      try await foreign.createWebhook(
        WebhookSettings(name: "a", url: Self.url), after: all[0].cursor, by: "olga")
    }
    try await fixture.database.close()
  }

  @Test("two servers take each message once, in the order of the events", arguments: LedgerEngine.allCases)
  func twoServers(_ engine: LedgerEngine) async throws {
    let setting = try await WebhookFixture(engine)
    let ledger = setting.ledger
    let other = try await TestLedger.open(on: setting.fixture.database).ledger
    var customers: [CustomerID] = []
    for number in 0..<5 { customers.append(try await setting.fixture.identified("\(number)").customer) }
    for number in 1...20 {
      for customer in customers { try await setting.grant(1, to: customer, key: "\(number)") }
      if number % 4 == 0 {
        _ = try await withThrowingTaskGroup(of: Int.self) { group in
          for server in [ledger, other, ledger, other] { group.addTask { try await server.takeMessages() } }
          return try await group.reduce(0, +)
        }
      }
    }
    try await setting.take()
    let messages = try await setting.fixture.messages()
    let deliveries = try await setting.deliveries()
    #expect(deliveries.map(\.message) == messages.map(\.data.id))
    #expect(deliveries.count == 100 && deliveries.map(\.number) == (1...100).map { Int64($0) })
    #expect(deliveries.compactMap(\.cursor) == messages.compactMap(\.data.cursor))
    // One message of each customer is due.
    #expect(deliveries.count(where: { $0.due != nil }) == 5)
    try await setting.fixture.database.close()
  }

  /// Two transactions in one server, of which the first to write is the last to commit.
  @Test("a webhook's cursor never passes an event that is not committed yet: PostgreSQL commits numbers out of order")
  func outOfOrder() async throws {
    let setting = try await WebhookFixture(.postgreSQL)
    let fixture = setting.fixture
    let (ada, ben) = (try await fixture.identified("ada").customer, try await fixture.identified("ben").customer)
    let (hasWritten, mayCommit) = (Gate(), DispatchSemaphore(value: 0))
    let app = TestLedger.app
    let first = Task.detached {
      try await fixture.database.write(locking: [.customer(ada)]) { transaction in
        _ = try transaction.move(
          1, CreditAccount(customer: ada, app: app, unit: TestLedger.coin), .grant, key: "slow", fixture.clock.now)
        // Sends the last statement, too.
        _ = try transaction.row("SELECT 1 AS one")
        Task { await hasWritten.pass() }
        mayCommit.wait()
      }
    }
    await hasWritten.untilCallerWaits()
    try await setting.grant(2, to: ben, key: "fast")
    // A webhook that is created now gets both: neither could be read before.
    let late = try await setting.ledger.createWebhook(
      WebhookSettings(name: "late", url: Self.url), by: "olga"
    ).webhook.id
    #expect(try await setting.ledger.takeMessages() == 0)
    #expect(try await setting.ledger.messages(limit: 10).messages.isEmpty)
    mayCommit.signal()
    try await first.value
    await hasWritten.open()
    #expect(try await setting.take() == 4)
    #expect(try await setting.deliveries().map(\.customer) == [ada, ben])
    #expect(try await setting.ledger.webhookDeliveries(of: late, limit: 10).elements.map(\.customer) == [ben, ada])
    try await fixture.database.close()
  }

  @Test("after a restore, a webhook goes on; messages of the backup have the same ids, later ones have others")
  func restored() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    func open(_ name: String) async throws -> TestLedger {
      try await TestLedger.open(on: SQLiteLedgerDatabase(at: folder.url.appending(path: name)))
    }
    let first = try await WebhookFixture(open("ledger.sqlite"))
    let ada = try await first.fixture.identified("ada").customer
    for number in 1...2 { try await first.grant(1, to: ada, key: "\(number)") }
    try await first.take()
    let database = try #require(first.fixture.database as? SQLiteLedgerDatabase)
    try await database.backUp(to: folder.url.appending(path: "backup"))
    try await first.grant(1, to: ada, key: "3")
    try await first.take()
    let before = try await first.deliveries().map(\.message)

    let second = try await open("backup")
    try await second.ledger.grant(
      .credits(TestLedger.coin, 1), to: ada, app: TestLedger.app, key: "other", reason: "r", by: "olga")
    #expect(try await second.ledger.takeMessages() == 1)
    let after = try await second.ledger.webhookDeliveries(of: first.webhook.id, limit: 10).elements.reversed()
      .map(\.message)
    #expect(after.count == 3 && Array(after.prefix(2)) == Array(before.prefix(2)) && after[2] != before[2])
    for fixture in [first.fixture, second] { try await fixture.database.close() }
  }

  // MARK: The cost

  @Test("messages are taken in proportion to the new events", arguments: LedgerEngine.allCases)
  func cost(_ engine: LedgerEngine) async throws {
    let database = try await CountingDatabase(engine)
    let setting = try await WebhookFixture(TestLedger.open(on: database))
    let ada = try await setting.fixture.identified("ada").customer
    func work(_ count: Int, _ name: String) async throws -> CountingDatabase.Work {
      for number in 0..<count { try await setting.grant(1, to: ada, key: "\(name) \(number)") }
      _ = try await LedgerReplay.events(of: setting.ledger)
      return try await database.counting { try await setting.ledger.takeMessages() }
    }
    let early = try await work(10, "early")
    _ = try await work(300, "many")
    let late = try await work(10, "late")
    #expect((late.statements, late.changedRows) == (early.statements, early.changedRows))
    #expect(late.steps <= early.steps * 3 / 2 + 500, "\(early.steps) and \(late.steps) steps")
    let none = try await database.counting { try await setting.ledger.takeMessages() }
    #expect((none.transactions, none.statements, none.changedRows) == (1, 3, 0))
    try await database.close()
  }

  @Test("a redemption takes the same statements and round trips with webhooks", arguments: LedgerEngine.allCases)
  func redemption(_ engine: LedgerEngine) async throws {
    var costs: [CountingDatabase.Work] = []
    for hasWebhook in [false, true] {
      let database = try await CountingDatabase(engine)
      let fixture = try await TestLedger.open(on: database)
      if hasWebhook { _ = try await WebhookFixture(fixture) }
      let ada = try await fixture.identified("ada")
      var purchase = TestLedger.purchase(TestLedger.coins, 1)
      purchase.type = .consumable
      purchase.price = PurchasePrice(milliunits: 990, currency: "EUR")
      let bought = purchase
      costs.append(
        try await database.counting {
          let request = RedemptionRequest.purchases([.init(transactionID: bought.transactionID)])
          _ = try await fixture.ledger.redeem(TestLedger.proof([bought]), request, for: ada)
        })
      try await database.close()
    }
    for cost in costs { #expect((cost.transactions, cost.statements, cost.roundTrips) == (1, 9, 4)) }
  }
}
