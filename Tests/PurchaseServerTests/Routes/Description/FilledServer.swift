import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

/// A server with the data that every operation's example needs.
struct FilledServer {
  let fixture: ServerFixture
  let reader: ServerFixture.Reader
  private let values: [String: String]

  init() async throws {
    var options = ServerFixture.Options()
    options.backUp = { "ledger.sqlite.backup-1" }
    options.settings.consumption = ConsumptionSettings(policy: .ask)
    fixture = try await ServerFixture(options)
    let phone = try await fixture.bookStore.phone()
    let reader = try await fixture.reader(on: phone)
    self.reader = reader
    let mailbox = try await fixture.bookStore.mailbox()
    let coins = try await fixture.bookStore.buy(on: phone)
    let book = try await fixture.bookStore.buy(BookStore.book, as: "payment 2", on: phone)
    let magazine = try await fixture.bookStore.buy(BookStore.magazine, as: "payment 3", on: phone)
    let link = try await fixture.withClient { client in
      _ = try await client.redeem(coins, token: reader.token)
      _ = try await client.redeem(magazine, token: reader.token)
      return try await client.redeem(book, token: reader.token).files().first?["link"] as? String
    }
    let charges = try await fixture.bookStore.posted(to: mailbox).map(signedPayload)
    let received = try await fixture.verifier.verify(notification: charges[0], for: BookStore.app)
    _ = try await fixture.ledger.receive(received, from: .sent)
    try await fixture.bookStore.store.requestRefund(of: coins.id)
    let posted = try await fixture.bookStore.posted(to: mailbox)
    let asked = try await fixture.verifier.verify(
      notification: signedPayload(of: try #require(posted.first)), for: BookStore.app)
    _ = try await fixture.ledger.receive(asked, from: .sent)
    _ = try await fixture.ledger.setConsent(
      toConsumptionInformation: true, of: try #require(CustomerID(reader.customer)), app: BookStore.app)
    try await fixture.ledger.beginImport(
      of: String(repeating: "a", count: 64), app: BookStore.app, at: 2, by: "olga", reason: nil)
    try await fixture.ledger.setAside("aside", of: charges[0])
    try await fixture.ledger.publish(
      LedgerProduct(
        id: BookStore.magazine, type: .nonConsumable, entitlements: [try #require(EntitlementName(rawValue: "news"))]),
      app: BookStore.app, by: "olga")
    try await fixture.ledger.publish(
      Offering(
        id: try #require(OfferingID(rawValue: "summer")), products: [BookStore.magazine, BookStore.sticker],
        metadata: #"{"headline":"Sun"}"#, isCurrent: true),
      app: BookStore.app, by: "olga")
    let key = try await fixture.ledger.createOperatorKey(name: "otto", role: .admin, by: .commandLine)
    let webhook = try await fixture.ledger.createWebhook(
      WebhookSettings(name: "backend", url: "https://hooks.example/a"), by: "olga"
    ).webhook.id
    _ = try await fixture.ledger.sendTestMessage(to: webhook, by: "olga")
    let sent = try #require(try await fixture.ledger.takeWebhookDelivery())
    _ = try await fixture.ledger.settle(sent, .delivered(status: 200))
    values = [
      "RECEIPT": magazine.appReceipt.base64EncodedString(), "TRANSACTION": book.id.rawValue,
      "CUSTOMER": reader.customer, "KEY": key.identity.id, "POEM": "\(Sample.digest(ServerFixture.poemText))",
      "HELLO": "\(Sample.digest(Data("hello".utf8)))", "LINK": try #require(link),
      "NOTIFICATION": charges[1], "RECEIVED": received.uuid, "ASIDE": "aside",
      "ASKED": asked.uuid, "WEBHOOK": webhook,
    ]
  }

  func filled(_ text: String) -> String {
    // Replaces all names in one pass, because a value may contain another name.
    text.replacing(/\b[A-Z]+\b/) { name in values[String(name.0)] ?? String(name.0) }
  }

  /// - Parameter key: the operator's key; nil for one that may do everything.
  func send(_ example: OperationExample, body: String? = nil, key: String? = nil) async throws -> Reply {
    let token: String? =
      switch example.caller {
      case .anonymous: nil
      case .customer: reader.token
      case .anOperator: key ?? fixture.operatorKey
      }
    let (path, text) = (filled(example.path), (body ?? example.body).map(filled))
    return try await fixture.withClient { try await $0.send(example.method, path, text, token: token) }
  }
}

extension Ledger {
  /// Stores a notification as if the ledger had refused it.
  func setAside(
    _ uuid: String, of signedPayload: String,
    problem: String = "Another purchase is recorded under its transaction id.",
    app: BundleID = BookStore.app
  ) async throws {
    let now = clock.now
    _ = try await database.write(locking: []) { transaction in
      try transaction.execute(
        """
        INSERT INTO notification (app, uuid, type, signed, received, source, state, problem, payload)
        VALUES ($1, $2, 'ONE_TIME_CHARGE', $3, $3, 'sent', 'setAside', $4, $5)
        """, app, uuid, now, problem, signedPayload)
    }
  }
}
