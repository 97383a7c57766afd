import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Documentation/webhooks.md, "Delivery".
@Suite("Deliveries of webhooks", .timeLimit(.minutes(30)))
struct WebhookDeliveryTests {
  private static let failed = WebhookDeliveryResult.failed(status: 500, problem: "500 Oops")

  /// The customers ada and ben with messages `ada 1`, `ben 1`, `ada 2` … which are grants of 1, 2 … credits.
  private static func filled(
    _ engine: LedgerEngine, each count: Int = 3
  ) async throws -> (setting: WebhookFixture, ada: CustomerID, ben: CustomerID) {
    let setting = try await WebhookFixture(engine)
    let ada = try await setting.fixture.identified("ada").customer
    let ben = try await setting.fixture.identified("ben").customer
    for number in 1...count {
      for customer in [ada, ben] { try await setting.grant(Int64(number), to: customer, key: "\(number)") }
    }
    #expect(try await setting.take() == 2 * count)
    return (setting, ada, ben)
  }

  /// The customer and the amount of a message.
  private static func content(_ lease: WebhookDeliveryLease) throws -> (customer: String, amount: Int64) {
    let (_, data, _) = try WebhookFixture.contents(of: lease.body)
    let credits = data["credits"] as? [String: Any] ?? [:]
    return (data["customer"] as? String ?? "", (credits["amount"] as? NSNumber)?.int64Value ?? 0)
  }

  @Test(
    "messages of a customer are sent one after the other, those of different customers independently",
    arguments: LedgerEngine.allCases)
  func order(_ engine: LedgerEngine) async throws {
    let (setting, ada, ben) = try await Self.filled(engine)
    let ledger = setting.ledger
    let first = try #require(try await ledger.takeWebhookDelivery())
    let second = try #require(try await ledger.takeWebhookDelivery())
    #expect(try Self.content(first) == ("\(ada)", 1) && Self.content(second) == ("\(ben)", 1))
    // The later ones wait for these.
    #expect(try await ledger.takeWebhookDelivery() == nil)
    #expect(
      try await setting.deliveries().map(\.state) == [.sending, .sending, .waiting, .waiting, .waiting, .waiting])
    #expect(try await setting.deliveries().map { $0.due == nil } == [false, false, true, true, true, true])

    // Ben's fails, and holds back only Ben's.
    #expect(try await ledger.settle(second, Self.failed)?.state == .waiting)
    #expect(try await ledger.settle(first, .delivered(status: 204))?.state == .delivered)
    for amount in [Int64(2), 3] {
      let next = try #require(try await ledger.takeWebhookDelivery())
      #expect(try Self.content(next) == ("\(ada)", amount))
      #expect(try await ledger.settle(next, .delivered(status: 200))?.state == .delivered)
    }
    #expect(try await ledger.takeWebhookDelivery() == nil)
    setting.fixture.clock.advance(seconds: WebhookDeliveryLease.pauseSeconds[0])
    var amounts: [Int64] = []
    while let lease = try await ledger.takeWebhookDelivery() {
      #expect(lease.message == second.message || !amounts.isEmpty)
      amounts.append(try Self.content(lease).amount)
      _ = try await ledger.settle(lease, .delivered(status: 200))
    }
    #expect(amounts == [1, 2, 3])
    #expect(try await setting.deliveries().allSatisfy { $0.state == .delivered && $0.due == nil })
    #expect(try await ledger.nextWebhookDue() == nil)
    // What comes later is due at once.
    try await setting.grant(4, to: ada, key: "4")
    try await setting.take()
    #expect(try await ledger.nextWebhookDue() == setting.fixture.clock.now)
    try await setting.fixture.database.close()
  }

  @Test(
    "ten attempts over three days, then a message is dead, and the customer's next one is sent",
    arguments: LedgerEngine.allCases)
  func dead(_ engine: LedgerEngine) async throws {
    let (setting, ada, _) = try await Self.filled(engine, each: 2)
    let (ledger, clock) = (setting.ledger, setting.fixture.clock)
    let start = clock.now
    var pauses: [Int64] = []
    var ids: Set<String> = []
    while true {
      let lease = try #require(try await ledger.takeWebhookDelivery())
      guard try Self.content(lease).customer == "\(ada)" else {
        _ = try await ledger.settle(lease, .delivered(status: 200))
        continue
      }
      ids.insert(lease.message)
      let now = clock.now
      if try await ledger.settle(lease, Self.failed)?.state == .dead { break }
      // Ben's messages are delivered first.
      while let other = try await ledger.takeWebhookDelivery() {
        _ = try await ledger.settle(other, .delivered(status: 200))
      }
      let due = try #require(try await ledger.nextWebhookDue())
      pauses.append((due.millisecondsSince1970 - now.millisecondsSince1970) / 1_000)
      clock.set(due)
    }
    #expect(pauses == WebhookDeliveryLease.pauseSeconds && ids.count == 1)
    #expect(clock.now >= start.adding(seconds: 3 * 86_400))
    let dead = try #require(try await setting.deliveries(.dead).first)
    #expect((dead.attempts, dead.status, dead.problem) == (10, 500, "500 Oops"))
    #expect(dead.settled == clock.now && dead.customer == ada && dead.message == ids.first)
    let next = try #require(try await ledger.takeWebhookDelivery())
    #expect(try Self.content(next) == ("\(ada)", 2))
    #expect(try await ledger.settle(next, .delivered(status: 200))?.state == .delivered)
    #expect(try await ledger.undelivered(of: setting.webhook.id) == [.waiting: 0, .sending: 0, .dead: 1])

    // It can be sent again, with the same id and ten new attempts.
    let again = try await ledger.resendWebhookDelivery(dead.number, of: setting.webhook.id, by: "olga", reason: "r")
    #expect((again.state, again.attempts, again.due, again.problem) == (.waiting, 0, clock.now, nil))
    let lease = try #require(try await ledger.takeWebhookDelivery())
    #expect((lease.message, lease.attempts) == (dead.message, 1))
    await #expect(throws: LedgerError.webhookDeliveryNotSettled) {
      try await ledger.resendWebhookDelivery(dead.number, of: setting.webhook.id, by: "olga")
    }
    #expect(try await ledger.settle(lease, .delivered(status: 200))?.state == .delivered)
    await #expect(throws: LedgerError.unknownWebhookDelivery(99)) {
      try await ledger.resendWebhookDelivery(99, of: setting.webhook.id, by: "olga")
    }
    try await setting.fixture.database.close()
  }

  @Test("a receiver can ask for a longer pause, up to a day", arguments: LedgerEngine.allCases)
  func retryAfter(_ engine: LedgerEngine) async throws {
    for (asked, pause) in [(0, 5), (3, 5), (600, 600), (999_999, 86_400)] as [(Int64, Int64)] {
      let (setting, _, _) = try await Self.filled(engine, each: 1)
      let lease = try #require(try await setting.ledger.takeWebhookDelivery())
      let problem = "answer\0 " + String(repeating: "x", count: 1_000)
      _ = try await setting.ledger.settle(
        lease, .failed(status: nil, problem: problem, retryAfterSeconds: asked))
      let delivery = try #require(try await setting.delivery(lease.number))
      #expect(delivery.due == setting.fixture.clock.now.adding(seconds: pause))
      #expect(delivery.status == nil && delivery.problem?.hasPrefix("answer x") == true)
      #expect(delivery.problem?.count == 600)
      try await setting.fixture.database.close()
    }
  }

  @Test(
    "a message that is sent again comes at once; those of its customer that have not begun wait for it",
    arguments: LedgerEngine.allCases)
  func resendOrder(_ engine: LedgerEngine) async throws {
    let (setting, ada, ben) = try await Self.filled(engine, each: 1)
    let (ledger, webhook) = (setting.ledger, setting.webhook.id)
    while let lease = try await ledger.takeWebhookDelivery() {
      _ = try await ledger.settle(lease, .delivered(status: 200))
    }
    for number in [Int64(2), 3] { try await setting.grant(number, to: ada, key: "\(number)") }
    try await setting.take()
    let second = try #require(try await ledger.takeWebhookDelivery())
    #expect(try Self.content(second) == ("\(ada)", 2))
    _ = try await ledger.resendWebhookDelivery(1, of: webhook, by: "olga")
    let first = try #require(try await ledger.takeWebhookDelivery())
    #expect(first.number == 1)
    // The third waits for both, whichever is settled first.
    _ = try await ledger.settle(second, .delivered(status: 200))
    #expect(try await ledger.takeWebhookDelivery() == nil)
    _ = try await ledger.settle(first, .delivered(status: 200))
    let third = try #require(try await ledger.takeWebhookDelivery())
    #expect(try Self.content(third) == ("\(ada)", 3))
    #expect(try await setting.deliveries().filter { $0.customer == ben }.map(\.state) == [.delivered])
    try await setting.fixture.database.close()
  }

  @Test(
    "one server at a time sends a message; when it is killed, another one sends it after the lease, with the same id",
    arguments: LedgerEngine.allCases)
  func lease(_ engine: LedgerEngine) async throws {
    let setting = try await WebhookFixture(engine)
    let ledger = setting.ledger
    for number in 0..<4 {
      try await setting.grant(1, to: try await setting.fixture.identified("\(number)").customer, key: "k")
    }
    try await setting.take()
    let leases = try await withThrowingTaskGroup(of: WebhookDeliveryLease?.self) { group in
      for _ in 0..<8 { group.addTask { try await ledger.takeWebhookDelivery() } }
      return try await group.reduce(into: [WebhookDeliveryLease?]()) { $0.append($1) }
    }.compactMap(\.self)
    #expect(leases.map(\.number).sorted() == [1, 2, 3, 4])
    setting.fixture.clock.advance(seconds: WebhookDeliveryLease.seconds - 1)
    #expect(try await ledger.takeWebhookDelivery() == nil)
    setting.fixture.clock.advance(seconds: 1)
    let later = try #require(try await ledger.takeWebhookDelivery())
    let killed = try #require(leases.first { $0.number == later.number })
    #expect(later.message == killed.message && later.attempts == 2)
    // The late result of the first server changes nothing.
    #expect(try await ledger.settle(killed, Self.failed) == nil)
    #expect(try await setting.delivery(later.number)?.state == .sending)
    #expect(try await ledger.settle(later, .delivered(status: 200))?.state == .delivered)
    #expect(try await ledger.settle(later, Self.failed) == nil)
    try await setting.fixture.database.close()
  }

  @Test(
    "at most eight attempts of a webhook are under way; one that never answers does not hold up another",
    arguments: LedgerEngine.allCases)
  func underWay(_ engine: LedgerEngine) async throws {
    let setting = try await WebhookFixture(engine)
    let ledger = setting.ledger
    let other = try await ledger.createWebhook(
      WebhookSettings(name: "other", url: "https://other.example/"), by: "olga"
    ).webhook
    for number in 0..<12 {
      try await setting.grant(1, to: try await setting.fixture.identified("\(number)").customer, key: "k")
    }
    #expect(try await setting.take() == 24)
    var leases: [WebhookDeliveryLease] = []
    while let lease = try await ledger.takeWebhookDelivery() { leases.append(lease) }
    for webhook in [setting.webhook.id, other.id] {
      #expect(leases.count(where: { $0.webhook == webhook }) == Webhook.mostUnderWay)
    }
    let settled = try #require(leases.first { $0.webhook == other.id })
    _ = try await ledger.settle(settled, .delivered(status: 200))
    #expect(try await ledger.takeWebhookDelivery()?.webhook == other.id)
    #expect(try await ledger.takeWebhookDelivery() == nil)
    // The same event has the same id at both.
    let ids = Dictionary(grouping: leases, by: \.number).values.map { Set($0.map(\.message)) }
    #expect(ids.allSatisfy { $0.count == 1 })
    try await setting.fixture.database.close()
  }

  @Test(
    "receivers that never answer do not hold up another one, although their messages were due first",
    arguments: LedgerEngine.allCases)
  func manySilent(_ engine: LedgerEngine) async throws {
    let setting = try await WebhookFixture(engine)
    let (ledger, clock) = (setting.ledger, setting.fixture.clock)
    func create(_ name: String) async throws -> String {
      let settings = WebhookSettings(name: name, url: "https://other.example/")
      return try await ledger.createWebhook(settings, by: "olga").webhook.id
    }
    func grant(_ numbers: ClosedRange<Int>) async throws {
      for number in numbers {
        try await setting.grant(1, to: try await setting.fixture.identified("\(number)").customer, key: "k")
      }
      try await setting.take()
      clock.advance(seconds: 1)
    }
    var silent = [setting.webhook.id]
    while silent.count < Webhook.mostUnderWay { silent.append(try await create("silent \(silent.count)")) }
    try await grant(1...Webhook.mostUnderWay)
    let healthy = try await create("healthy")
    try await grant(9...9)
    // One of each webhook first.
    var leases: [WebhookDeliveryLease] = []
    for _ in 0...silent.count { leases.append(try #require(try await ledger.takeWebhookDelivery())) }
    #expect(Set(leases.map(\.webhook)) == Set(silent + [healthy]))
    for lease in leases where lease.webhook == healthy { _ = try await ledger.settle(lease, .delivered(status: 200)) }
    leases = leases.filter { $0.webhook != healthy }
    while let lease = try await ledger.takeWebhookDelivery() {
      if lease.webhook == healthy {
        _ = try await ledger.settle(lease, .delivered(status: 200))
      } else {
        leases.append(lease)
      }
    }
    #expect(leases.count == silent.count * Webhook.mostUnderWay)
    // The first place that gets free is for the webhook without attempts.
    try await grant(10...10)
    _ = try await ledger.settle(leases[0], Self.failed)
    #expect(try await ledger.takeWebhookDelivery()?.webhook == healthy)
    #expect(try await ledger.takeWebhookDelivery()?.webhook == leases[0].webhook)
    try await setting.fixture.database.close()
  }

  @Test("a message that was not sent is given back, and no attempt is counted", arguments: LedgerEngine.allCases)
  func givenBack(_ engine: LedgerEngine) async throws {
    let setting = try await WebhookFixture(engine)
    let (ledger, clock) = (setting.ledger, setting.fixture.clock)
    try await setting.grant(1, to: try await setting.fixture.identified("ada").customer, key: "k")
    try await setting.take()
    let first = try #require(try await ledger.takeWebhookDelivery())
    try await ledger.giveBack(first)
    let delivery = try #require(try await setting.delivery(first.number))
    #expect((delivery.state, delivery.attempts, delivery.due) == (.waiting, 0, clock.now))
    clock.advance(seconds: 1)
    let second = try #require(try await ledger.takeWebhookDelivery())
    #expect((second.message, second.attempts) == (first.message, 1))
    // The first lease is over.
    try await ledger.giveBack(first)
    #expect(try await setting.delivery(first.number)?.state == .sending)
    #expect(try await ledger.settle(second, .delivered(status: 200))?.state == .delivered)
    try await setting.fixture.database.close()
  }

  @Test("the messages of a long history are made in steps, and the first can be sent before the last is made")
  func history() async throws {
    let setting = try await WebhookFixture(.sqlite)
    let ada = try await setting.fixture.identified("ada").customer
    let count = LedgerEventPage.largest + 1
    for number in 1...count { try await setting.grant(1, to: ada, key: "\(number)") }
    let first = try await setting.ledger.takeNextMessages()
    #expect((1..<count).contains(first.count) && first.hasMore)
    #expect(try await setting.ledger.takeWebhookDelivery()?.number == 1)
    #expect(try await setting.ledger.takeMessages() == count - first.count)
    let last = try await setting.ledger.takeNextMessages()
    #expect(last.count == 0 && !last.hasMore)
    try await setting.fixture.database.close()
  }

  @Test(
    "410 disables the webhook; when it is enabled, it goes on where it has stopped", arguments: LedgerEngine.allCases)
  func gone(_ engine: LedgerEngine) async throws {
    let (setting, ada, _) = try await Self.filled(engine, each: 1)
    let (ledger, id) = (setting.ledger, setting.webhook.id)
    let first = try #require(try await ledger.takeWebhookDelivery())
    let second = try #require(try await ledger.takeWebhookDelivery())
    let settlements = [
      try await ledger.settle(first, .gone(problem: "410 Gone")),
      try await ledger.settle(second, .gone(problem: "410 Gone")),
    ]
    #expect(settlements.map { $0?.state } == [.waiting, .waiting])
    #expect(settlements.map { $0?.hasDisabledWebhook } == [true, false])
    let disabled = try await ledger.webhook(id)
    #expect(disabled.disabled == setting.fixture.clock.now && disabled.problem == "410 Gone")
    try await setting.grant(2, to: ada, key: "2")
    #expect(try await setting.take() == 0)
    #expect(try await ledger.takeWebhookDelivery() == nil)
    #expect(try await ledger.nextWebhookDue() == nil)

    let enabled = try await ledger.changeWebhook(id, isEnabled: true, by: "olga", reason: "r")
    #expect(enabled.disabled == nil && enabled.problem == nil && enabled.settings == setting.webhook.settings)
    #expect(try await setting.take() == 1)
    var attempts: [Int64: Int64] = [:]
    while let lease = try await ledger.takeWebhookDelivery() {
      attempts[lease.number] = lease.attempts
      _ = try await ledger.settle(lease, .delivered(status: 200))
    }
    #expect(attempts == [1: 1, 2: 1, 3: 1])
    try await setting.fixture.database.close()
  }

  @Test("a test is sent whatever types are chosen, beside all others", arguments: LedgerEngine.allCases)
  func test(_ engine: LedgerEngine) async throws {
    let setting = try await WebhookFixture(engine, types: [.refund])
    let delivery = try await setting.ledger.sendTestMessage(to: setting.webhook.id, by: "olga", reason: "r")
    #expect((delivery.type, delivery.customer, delivery.cursor) == (.test, nil, nil))
    let lease = try #require(try await setting.ledger.takeWebhookDelivery())
    let (type, data, all) = try WebhookFixture.contents(of: lease.body)
    #expect(type == "TEST" && data["id"] as? String == lease.message && data["cursor"] is NSNull)
    #expect(all["timestamp"] as? String == setting.fixture.clock.now.description)
    _ = try await setting.ledger.settle(lease, .delivered(status: 200))
    let again = try await setting.ledger.sendTestMessage(to: setting.webhook.id, by: "olga")
    #expect(again.message != delivery.message)
    await #expect(throws: LedgerError.unknownWebhook("none")) {
      try await setting.ledger.sendTestMessage(to: "none", by: "olga")
    }
    try await setting.fixture.database.close()
  }

  @Test(
    "delivered messages go after 30 days, dead ones after 180, and those that wait stay",
    arguments: LedgerEngine.allCases)
  func removed(_ engine: LedgerEngine) async throws {
    let (setting, _, _) = try await Self.filled(engine, each: 2)
    let (ledger, clock) = (setting.ledger, setting.fixture.clock)
    let first = try #require(try await ledger.takeWebhookDelivery())
    _ = try await ledger.settle(first, .delivered(status: 200))
    _ = try await setting.fixture.database.write(locking: []) { transaction in
      try transaction.execute(
        "UPDATE webhook_delivery SET state = 'dead', due = NULL, settled = $1 WHERE number = 2", TestLedger.start)
    }
    clock.advance(seconds: 30 * 86_400)
    #expect(try await ledger.removeOldWebhookDeliveries() == 0)
    clock.advance(seconds: 1)
    #expect(try await ledger.removeOldWebhookDeliveries() == 1)
    clock.advance(seconds: 150 * 86_400)
    #expect(try await ledger.removeOldWebhookDeliveries() == 1)
    #expect(try await setting.deliveries().map(\.number) == [3, 4])
    try await setting.fixture.database.close()
  }

  @Test("deliveries are listed in pages, the newest first", arguments: LedgerEngine.allCases)
  func pages(_ engine: LedgerEngine) async throws {
    let (setting, _, _) = try await Self.filled(engine)
    let (ledger, id) = (setting.ledger, setting.webhook.id)
    var (numbers, next): ([Int64], [String]?) = ([], nil)
    repeat {
      let page = try await ledger.webhookDeliveries(of: id, after: next, limit: 4)
      numbers += page.elements.map(\.number)
      next = page.next
    } while next != nil
    #expect(numbers == [6, 5, 4, 3, 2, 1])
    let waiting = try await ledger.webhookDeliveries(of: id, state: .dead, limit: 4)
    #expect(waiting.elements.isEmpty && waiting.next == nil)
    await #expect(throws: LedgerError.unknownWebhook("none")) {
      try await ledger.webhookDeliveries(of: "none", limit: 1)
    }
    for after in [["x"], ["1", "2"]] {
      await #expect(throws: LedgerError.self) { try await ledger.webhookDeliveries(of: id, after: after, limit: 1) }
    }
    try await setting.fixture.database.close()
  }
}
