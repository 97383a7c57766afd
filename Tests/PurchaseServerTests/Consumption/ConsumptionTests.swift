import AppStoreServerAPI
import Foundation
import HummingbirdTesting
import PurchaseLedger
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

/// A purchase server and an emulator, both over HTTP: a customer asks for a refund, and the server answers the store's question.
@Suite("Consumption requests of a running emulator", .timeLimit(.minutes(30)))
struct ConsumptionTests {
  private static let path = "/v1/operator/apps/com.example.reader/consumption-requests"

  /// A customer with purchases of five coins each.
  private struct Customer {
    let token: String
    var purchases: [TransactionID] = []

    /// - Parameter prefix: names the customer's device and payments.
    init(_ shop: ServerAPIShop, purchases count: Int, prefix: String = "a") async throws {
      token = try await shop.anonymous()
      let phone = try await shop.bookStore.phone("phone \(prefix)")
      for number in 1...count {
        let coins = try await shop.bookStore.buy(as: PaymentID("payment \(prefix) \(number)"), on: phone)
        let reply = try await shop.redeem(["signedTransaction": coins.signedTransaction], [coins.id], token: token)
        #expect(reply.status == 200, "\(reply.text)")
        purchases.append(coins.id)
      }
    }
  }

  @Test(
    "a partly spent purchase: the automatic answer has the share of the oldest credits, and the prorated refund takes its part, rounded down",
    arguments: LedgerDatabaseKind.allCases)
  func automatic(_ kind: LedgerDatabaseKind) async throws {
    let app: [String: any Sendable] = ["consumptionRequests": "automatic", "refundPreference": "prorated"]
    try await ServerAPIShop.running(on: kind, app: app) { shop in
      try await shop.receivingNotifications()
      let ada = try await Customer(shop, purchases: 3)
      try await shop.consent(true, token: ada.token)
      try await shop.spend(7, token: ada.token)
      let responder = try shop.responder
      let running = Task { try await responder.run() }

      try await shop.store.requestRefund(of: ada.purchases[1], reason: .unintendedPurchase)
      let answered = try await shop.request(in: .answered)
      #expect((answered.reason, answered.transactionId) == ("UNINTENDED_PURCHASE", ada.purchases[1]))
      let told = ConsumptionRequest(
        customerConsented: true, sampleContentProvided: false, deliveryStatus: OpenEnum(.delivered),
        consumptionPercentage: 40_000, refundPreference: OpenEnum(.grantProrated))
      #expect(try await shop.told(ada.purchases[1]) == told)
      running.cancel()
      try await running.value

      // 59.999 % of five coins are 2.99995: two are taken.
      shop.bookStore.clock.advance(seconds: 60)
      let number = try #require(try await shop.store.refundRequests(of: ada.purchases[1]).last?.number)
      try await shop.store.decideRefundRequest(number, of: ada.purchases[1], .prorated, percentage: 59_999)
      try await shop.posted()
      #expect(try await shop.coins(of: ada.token) == 15 - 7 - 2)
    }
  }

  @Test("without consent nothing is sent, also if another customer consents; an operator's key gives no consent")
  func noConsent() async throws {
    try await ServerAPIShop.running(app: ["consumptionRequests": "automatic"]) { shop in
      try await shop.receivingNotifications()
      let ada = try await Customer(shop, purchases: 1)
      let ben = try await Customer(shop, purchases: 1, prefix: "b")
      try await shop.consent(true, token: ben.token)
      let body = #"{"consumptionInformation":true}"#
      let path = "\(ServerFixture.path)/customer/consent"
      for token in [try await shop.adminKey(), "customer_none", nil] {
        #expect(try await shop.client.send(.put, path, body, token: token).status == 401)
      }
      try await shop.store.requestRefund(of: ada.purchases[0])
      try await shop.posted()
      _ = try await shop.responder.answerAll()
      _ = try await shop.request(in: .noConsent)
      #expect(shop.answersSent == 0)
      #expect(try await shop.client.get(path, token: ada.token).text == #"{"consumptionInformation":false}"#)
      #expect(try await shop.client.get(path, token: ben.token).object["consumptionInformation"] as? Bool == true)
    }
  }

  @Test("a consent that is withdrawn between the request and the operator's answer: nothing is sent")
  func withdrawn() async throws {
    try await ServerAPIShop.running(app: ["consumptionRequests": "ask"]) { shop in
      try await shop.receivingNotifications()
      let ada = try await Customer(shop, purchases: 1)
      try await shop.consent(true, token: ada.token)
      try await shop.store.requestRefund(of: ada.purchases[0])
      try await shop.posted()
      try await shop.consent(false, token: ada.token)
      let waiting = try await shop.request(in: .waiting)
      let answer = try await shop.client.post(
        "\(Self.path)/\(waiting.uuid)/answer", #"{"refundPreference":"decline","reason":"spent"}"#,
        token: shop.adminKey())
      #expect(answer.status == 200, "\(answer.text)")
      _ = try await shop.responder.answerAll()
      _ = try await shop.request(in: .noConsent)
      #expect(shop.answersSent == 0)
    }
  }

  @Test(
    "ask: a backend lists what waits, sees what would be sent, and answers with its own values; the rest is computed")
  func asked() async throws {
    try await ServerAPIShop.running(app: ["consumptionRequests": "ask", "sampleContentProvided": true]) { shop in
      try await shop.receivingNotifications()
      let ada = try await Customer(shop, purchases: 2)
      try await shop.consent(true, token: ada.token)
      try await shop.spend(5, token: ada.token)
      try await shop.store.requestRefund(of: ada.purchases[0], reason: .legal)
      try await shop.posted()
      _ = try await shop.responder.answerAll()
      #expect(shop.answersSent == 0)
      let key = try await shop.adminKey()
      let list = try await shop.client.get("\(Self.path)?state=waiting", token: key).list("requests")
      let uuid = try #require(list.first?["uuid"] as? String)
      #expect(list.count == 1 && list[0]["hasConsent"] as? Bool == true)
      let one = try await shop.client.get("\(Self.path)/\(uuid)", token: key)
      #expect((one.object["computed"] as? [String: Any])?["consumptionPercentage"] as? Int == 100_000, "\(one.text)")
      let wrong = try await shop.client.post(
        "\(Self.path)/\(uuid)/answer", #"{"refundPreference":"prorated","consumptionPercentage":100000,"reason":"r"}"#,
        token: key)
      #expect((wrong.status, wrong.code) == (422, "invalid"), "\(wrong.text)")
      let body = #"{"refundPreference":"decline","reason":"all of it was spent"}"#
      let answer = try await shop.client.post("\(Self.path)/\(uuid)/answer", body, token: key)
      #expect((answer.status, answer.object["state"] as? String) == (200, "open"), "\(answer.text)")
      let again = try await shop.client.post("\(Self.path)/\(uuid)/answer", body, token: key)
      #expect((again.status, again.code) == (409, "consumptionRequestNotWaiting"))
      _ = try await shop.responder.answerAll()
      let told = ConsumptionRequest(
        customerConsented: true, sampleContentProvided: true, deliveryStatus: OpenEnum(.delivered),
        consumptionPercentage: 100_000, refundPreference: OpenEnum(.decline))
      #expect(try await shop.told(ada.purchases[0]) == told)
      #expect(try await shop.client.get("\(Self.path)/none", token: key).code == "unknownConsumptionRequest")
    }
  }

  @Test("a subscription and a book: no percentage; the store refuses none of the answers")
  func durable() async throws {
    let app: [String: any Sendable] = ["consumptionRequests": "automatic", "refundPreference": "prorated"]
    try await ServerAPIShop.running(app: app) { shop in
      try await shop.receivingNotifications()
      let (token, phone) = (try await shop.anonymous(), try await shop.bookStore.phone())
      try await shop.consent(true, token: token)
      for (number, product) in [BookStore.club, BookStore.book].enumerated() {
        let bought = try await shop.bookStore.buy(product, as: PaymentID("payment \(number)"), on: phone)
        let reply = try await shop.redeem(["signedTransaction": bought.signedTransaction], [bought.id], token: token)
        #expect(reply.status == 200, "\(reply.text)")
        try await shop.store.requestRefund(of: bought.id)
        try await shop.posted()
        _ = try await shop.responder.answerAll()
        let told = try #require(try await shop.told(bought.id), "\(product)")
        #expect(told.consumptionPercentage == nil && told.deliveryStatus == .delivered)
        #expect(told.refundPreference?.known == (product == BookStore.club ? .grantProrated : nil))
      }
    }
  }
}

extension ServerAPIShop {
  fileprivate var responder: ConsumptionResponder {
    get throws { try #require(server.companions.compactMap { $0 as? ConsumptionResponder }.first) }
  }

  fileprivate func receivingNotifications() async throws {
    let port = try #require(client.port)
    try await store.setNotificationURL(
      URL(string: "http://127.0.0.1:\(port)/v1/apps/\(BookStore.app)/notifications"))
  }

  /// Returns when all notifications were sent.
  fileprivate func posted() async throws {
    #expect(try await store.settleNotifications(timeoutMilliseconds: 600_000).failed == 0)
  }

  fileprivate func consent(_ isGiven: Bool, token: String) async throws {
    let reply = try await client.send(
      .put, "\(ServerFixture.path)/customer/consent", #"{"consumptionInformation":\#(isGiven)}"#, token: token)
    #expect(reply.status == 200, "\(reply.text)")
  }

  fileprivate func spend(_ amount: Int, token: String) async throws {
    let reply = try await client.post(
      "\(ServerFixture.path)/credits/coins/spends", #"{"key":"a","amount":\#(amount)}"#, token: token)
    #expect(reply.status == 200, "\(reply.text)")
  }

  /// Returns the only request when it is in a state.
  fileprivate func request(in state: ConsumptionState) async throws -> RecordedConsumptionRequest {
    while true {
      let all = try await ledger.consumptionRequests(of: BookStore.app, limit: 10).elements
      if let request = all.first, request.state == state {
        #expect(all.count == 1)
        return request
      }
      await Task.yield()
    }
  }

  /// What the store was told about a transaction; nil if nothing.
  fileprivate func told(_ id: TransactionID) async throws -> ConsumptionRequest? {
    try await store.refundRequests(of: id).last?.consumption.map {
      try JSONDecoder().decode(ConsumptionRequest.self, from: Data($0.content.utf8))
    }
  }

  /// The number of answers that have reached the store.
  fileprivate var answersSent: Int {
    store.requests(RequestFilter(.serverAPI(SendConsumptionInformation.self))).count
  }
}
