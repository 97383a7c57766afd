import Foundation
import Hummingbird
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

/// A server with a webhook that leads to a receiver on this machine, and two customers.
struct WebhookSetting: Sendable {
  let fixture: ServerFixture
  let database: FailingDatabase
  let receiver: TestReceiver
  let transport: WebhookTransport
  let sender: WebhookSender
  let webhook: Webhook
  let secret: WebhookSecret
  let readers: [ServerFixture.Reader]

  /// Calls `body` with a setting whose ledger is in an empty database of a kind.
  static func with(
    _ kind: LedgerDatabaseKind = .sqlite, answer: @escaping TestReceiver.Answer = { _ in Response(status: .ok) },
    _ body: @escaping @Sendable (WebhookSetting) async throws -> Void
  ) async throws {
    try await kind.withDatabase { database in
      let failing = FailingDatabase(database)
      let fixture = try await ServerFixture(ServerFixture.Options(database: failing))
      try await TestReceiver.listening(answer: answer) { receiver in
        try await WebhookTransport.with { transport in
          let made = try await fixture.ledger.createWebhook(
            WebhookSettings(name: "backend", url: receiver.url, environments: [.production, .sandbox]), by: "olga")
          try await body(
            WebhookSetting(
              fixture: fixture, database: failing, receiver: receiver, transport: transport,
              sender: sender(of: fixture.ledger, fixture, transport), webhook: made.webhook, secret: made.secret,
              readers: [try await fixture.reader(), try await fixture.reader()]))
        }
      }
    }
  }

  static func sender(
    of ledger: Ledger, _ fixture: ServerFixture, _ transport: WebhookTransport
  ) -> WebhookSender {
    WebhookSender(
      ledger: ledger, transport: transport, metrics: fixture.metrics, clock: fixture.clock, logger: fixture.log.logger)
  }

  /// Another server of the same ledger.
  func otherServer() async throws -> WebhookSender {
    let ledger = try await Ledger(
      database: database, anchors: fixture.bookStore.anchors, apps: [BookStore.app: LedgerSettings()],
      clock: fixture.clock)
    return Self.sender(of: ledger, fixture, transport)
  }

  /// Grants a customer one coin for each number, and makes the messages of these events.
  func grant(_ numbers: ClosedRange<Int>, to reader: Int = 0) async throws {
    let customer = try #require(CustomerID(readers[reader].customer))
    let coins = try #require(CreditUnit(rawValue: "coins"))
    for number in numbers {
      try await fixture.ledger.grant(
        .credits(coins, 1), to: customer, app: BookStore.app, key: "k\(number)", reason: "a gift", by: "olga")
    }
    // In PostgreSQL, transactions of other tests can hold the events back.
    var taken = 0
    while taken < numbers.count { taken += try await fixture.ledger.takeMessages() }
  }

  func advance(seconds: Int64) { fixture.clock.advance(seconds: seconds) }

  /// The messages of the webhook, in their order.
  func deliveries(_ state: WebhookDelivery.State? = nil) async throws -> [WebhookDelivery] {
    try await fixture.ledger.webhookDeliveries(of: webhook.id, state: state, limit: 1_000).elements.reversed()
  }

  /// The keys of the grants whose messages a customer's receiver has got, in the order of their arrival.
  func keys(of reader: Int = 0) -> [String] {
    receiver.messages.filter { $0.data["customer"] as? String == readers[reader].customer }
      .compactMap { ($0.data["credits"] as? [String: Any])?["key"] as? String }
  }
}

extension WebhookSender {
  /// Sends everything that is due, and returns when the results are stored.
  ///
  /// - Returns: the number of attempts.
  @discardableResult
  func sendAll() async -> Int {
    let underWay = LockedValue(0)
    var attempts = 0
    while true {
      let pass = await withDiscardingTaskGroup(returning: Pass?.self) { group in await begin(in: &group, underWay) }
      guard let pass, pass.begun > 0 || pass.hasMoreEvents else { return attempts }
      attempts += pass.begun
    }
  }
}
