import Foundation
import HTTPTypes
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("Reverification that an operator requests", .timeLimit(.minutes(30)))
struct RequestedReverificationTests {
  private static let settings = LedgerSettings(reverificationSeconds: 86_400)

  private static func fixture(
    _ database: (any LedgerDatabase)? = nil, _ configuration: PurchaseService.Configuration = .init(port: 0)
  ) async throws -> ServerFixture {
    try await ServerFixture(
      .init(
        method: .verifyReceipt(TestReceiptServer.policy), settings: settings, configuration: configuration,
        database: database))
  }

  /// Buys a product on a new phone, and redeems it for a new customer.
  private static func redeemed(
    _ product: ProductID, _ payment: PaymentID, in fixture: ServerFixture
  ) async throws -> (id: TransactionID, reader: ServerFixture.Reader) {
    let phone = try await fixture.bookStore.phone(payment.rawValue)
    let reader = try await fixture.reader(on: phone)
    // A proof of the second of the registration joins nobody.
    fixture.clock.advance(seconds: 1)
    let bought = try await fixture.bookStore.buy(product, as: payment, on: phone)
    #expect(try await fixture.withClient { try await $0.redeem(bought, token: reader.token) }.status == 200)
    return (bought.id, reader)
  }

  private static func reverify(_ members: [String: any Sendable], in fixture: ServerFixture) async throws -> Reply {
    let body = try json(members.merging(["bundleId": BookStore.app.rawValue]) { $1 })
    return try await fixture.withClient {
      try await $0.post("/v1/operator/reverify", body, token: fixture.operatorKey)
    }
  }

  private static func counts(_ reply: Reply) -> [String: Int] {
    reply.object.compactMapValues { $0 as? Int }
  }

  @Test(
    "G6 a refund is learnt at once for a customer, a product or a transaction, and audited",
    arguments: LedgerDatabaseKind.allCases)
  func refundLearnt(kind: LedgerDatabaseKind) async throws {
    try await kind.withDatabase { database in
      let fixture = try await Self.fixture(database)
      for (place, member) in ["customer", "productId", "transactionId"].enumerated() {
        let product = [BookStore.book, BookStore.poem, BookStore.magazine][place]
        let (id, reader) = try await Self.redeemed(product, PaymentID("payment \(place)"), in: fixture)
        let value = [reader.customer, product.rawValue, id.rawValue][place]
        fixture.clock.advance(seconds: 60)
        let before = try await Self.reverify([member: value], in: fixture)
        #expect(before.status == 200, "\(before.text)")
        #expect(Self.counts(before) == ["checked": 1, "changed": 0, "failed": 0, "unverifiable": 0], "\(member)")
        _ = try await fixture.bookStore.store.refund(id)
        fixture.clock.advance(seconds: 60)
        let after = try await Self.reverify([member: value], in: fixture)
        #expect(Self.counts(after) == ["checked": 1, "changed": 1, "failed": 0, "unverifiable": 0], "\(member)")
        let entitlements = try await fixture.withClient {
          try await $0.get("\(ServerFixture.path)/entitlements", token: reader.token)
        }
        #expect(entitlements.list("entitlements").first?["endReason"] as? String == "refunded")
        let audit = try await fixture.ledger.auditLog(limit: 1)
        #expect(
          audit.map { [$0.operatorName, $0.action, $0.subject] } == [["olga", "reverify", value]], "\(member)")
        #expect(try await Self.counts(Self.reverify([member: value], in: fixture))["changed"] == 0)
      }
    }
  }

  @Test("pages: each purchase is on one page, and a receipt with several purchases is verified once per page")
  func pages() async throws {
    let fixture = try await Self.fixture()
    for number in 1...5 { _ = try await Self.redeemed(BookStore.coins, PaymentID("\(number)"), in: fixture) }
    var (checked, pages, after): (Int, Int, [String: any Sendable]?) = (0, 0, nil)
    repeat {
      var members: [String: any Sendable] = ["productId": BookStore.coins.rawValue, "limit": 2]
      members["after"] = after
      let page = try await Self.reverify(members, in: fixture)
      checked += try #require(Self.counts(page)["checked"], "\(page.text)")
      pages += 1
      after = page.object["next"] as? [String: String]
    } while after != nil
    #expect((checked, pages) == (5, 3))

    let phone = try await fixture.bookStore.phone("a shelf")
    let reader = try await fixture.reader(on: phone)
    var purchases: [BookStore.Purchase] = []
    for (product, payment) in [(BookStore.book, "a"), (BookStore.poem, "b")] {
      purchases.append(try await fixture.bookStore.buy(product, as: PaymentID(payment), on: phone))
    }
    let body = try redemptionBody(try #require(purchases.last).proof, purchases.map(\.id))
    _ = try await fixture.withClient {
      try await $0.post("\(ServerFixture.path)/redemptions", body, token: reader.token)
    }
    let before = fixture.receiptServer.requestCount
    let both = try await Self.reverify(["customer": reader.customer], in: fixture)
    #expect(Self.counts(both)["checked"] == 2)
    // One question at each of the store's two endpoints.
    #expect(fixture.receiptServer.requestCount == before + 2)
  }

  @Test("a store that does not answer: failed, and nothing is revoked")
  func storeAway() async throws {
    let fixture = try await Self.fixture()
    for number in 1...3 { _ = try await Self.redeemed(BookStore.coins, PaymentID("\(number)"), in: fixture) }
    fixture.receiptServer.behavior = .unreachable
    let failed = try await Self.reverify(["productId": BookStore.coins.rawValue], in: fixture)
    #expect(Self.counts(failed) == ["checked": 0, "changed": 0, "failed": 3, "unverifiable": 0])
    #expect(fixture.metrics.text(underWay: 0).contains(#"reverifications_total{outcome="storeUnavailable"} 3"#))
  }

  @Test("a slow store: the page ends when half of the request's time is over")
  func slowStore() async throws {
    let fixture = try await Self.fixture()
    for number in 1...3 { _ = try await Self.redeemed(BookStore.coins, PaymentID("\(number)"), in: fixture) }
    let gate = Gate()
    fixture.receiptServer.wait(for: gate)
    async let slow = Self.reverify(["productId": BookStore.coins.rawValue], in: fixture)
    await gate.untilCallerWaits()
    fixture.time.advance(seconds: 30)
    await gate.open()
    let page = try await slow
    #expect(Self.counts(page)["checked"] == 1 && page.object["next"] != nil, "\(page.text)")
  }

  @Test("purchases of an app that is verified offline cannot be verified again")
  func offline() async throws {
    let fixture = try await ServerFixture()
    let (_, reader) = try await Self.redeemed(BookStore.book, "payment", in: fixture)
    let reply = try await Self.reverify(["customer": reader.customer], in: fixture)
    #expect(Self.counts(reply) == ["checked": 0, "changed": 0, "failed": 0, "unverifiable": 1])
  }

  @Test("what does not exist is 404, an unclear request 400, a customer's token 401; none of them is audited")
  func refused() async throws {
    let fixture = try await Self.fixture()
    let stranger = UUID().uuidString.lowercased()
    let cases: [(members: [String: any Sendable], status: Int)] = [
      (["customer": stranger], 404), (["productId": "com.example.reader.none"], 404), (["transactionId": "77"], 404),
      ([:], 400), (["customer": stranger, "transactionId": "77"], 400),
      (["productId": BookStore.book.rawValue, "limit": 0], 400),
      (["productId": BookStore.book.rawValue, "limit": 101], 400),
    ]
    for (members, status) in cases {
      let reply = try await Self.reverify(members, in: fixture)
      #expect(reply.status == status, "\(members): \(reply.text)")
    }
    let reader = try await fixture.reader()
    let reply = try await fixture.withClient { client in
      try await client.post(
        "/v1/operator/reverify", #"{"bundleId":"com.example.reader","transactionId":"77"}"#, token: reader.token)
    }
    #expect(reply.status == 401)
    #expect(try await !fixture.ledger.auditLog().contains { $0.action == "reverify" })
  }
}
