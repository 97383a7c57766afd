import Foundation
import StoreModel

@testable import PurchaseLedger

/// A ledger with a webhook that begins at the first event.
struct WebhookFixture {
  let fixture: TestLedger
  let webhook: Webhook
  let secret: WebhookSecret
  var ledger: Ledger { fixture.ledger }

  init(_ engine: LedgerEngine, types: [WebhookMessageType]? = nil) async throws {
    try await self.init(TestLedger.open(engine), types: types)
  }

  init(_ fixture: TestLedger, types: [WebhookMessageType]? = nil) async throws {
    self.fixture = fixture
    (webhook, secret) = try await fixture.ledger.createWebhook(
      WebhookSettings(name: "backend", url: "https://backend.example/hook", types: types), by: "olga")
  }

  func grant(_ amount: Int64, to customer: CustomerID, key: String) async throws {
    try await ledger.grant(
      .credits(TestLedger.coin, amount), to: customer, app: TestLedger.app, key: key, reason: "r", by: "olga")
  }

  /// Takes all messages of committed events. In PostgreSQL, it waits until no transaction of another test holds them back.
  @discardableResult
  func take() async throws -> Int {
    _ = try await LedgerReplay.events(of: ledger)
    return try await ledger.takeMessages()
  }

  func deliveries(_ state: WebhookDelivery.State? = nil) async throws -> [WebhookDelivery] {
    try await ledger.webhookDeliveries(of: webhook.id, state: state, limit: 1_000).elements.reversed()
  }

  func delivery(_ number: Int64) async throws -> WebhookDelivery? {
    try await deliveries().first { $0.number == number }
  }

  /// The parts of a message's JSON.
  static func contents(of body: Data) throws -> (type: String, data: [String: Any], all: [String: Any]) {
    let all = try JSONSerialization.jsonObject(with: body) as? [String: Any] ?? [:]
    return (all["type"] as? String ?? "", all["data"] as? [String: Any] ?? [:], all)
  }
}

extension TestLedger {
  /// Returns all messages, in pages of `limit`.
  func messages(limit: Int = 1_000) async throws -> [WebhookMessage] {
    _ = try await LedgerReplay.events(of: ledger)
    var messages: [WebhookMessage] = []
    var cursor: LedgerEventCursor?
    while true {
      let page = try await ledger.messages(after: cursor, limit: limit)
      messages += page.messages
      if page.next == cursor { return messages }
      cursor = page.next
    }
  }
}
