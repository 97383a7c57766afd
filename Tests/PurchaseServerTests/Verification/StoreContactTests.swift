import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import PurchaseServer

/// ``ConsumptionResponderTests`` has the answers to consumption requests.
@Suite("The last answer and the last failure of the store", .timeLimit(.minutes(30)))
struct StoreContactTests {
  @Test("a redemption notes that the store failed or answered; an answer that is used again is not noted")
  func redemption() async throws {
    var policy = TestReceiptServer.policy
    policy.reuseSeconds = 60
    let fixture = try await ServerFixture(.init(method: .verifyReceipt(policy)))
    let (purchase, reader) = (
      try await fixture.bookStore.buy(on: fixture.bookStore.phone()), try await fixture.reader()
    )
    func redeem() async throws -> Int {
      try await fixture.withClient { try await $0.redeem(purchase, token: reader.token) }.status
    }
    fixture.receiptServer.behavior = .unreachable
    #expect(try await redeem() == 503)
    let failed = fixture.metrics.store[BookStore.app]
    #expect(failed.failure != nil && failed.answered == nil)
    #expect(fixture.metrics.text(underWay: 0).contains(#"store_troubles_total{app="com.example.reader"}"#))

    fixture.receiptServer.behavior = .normal
    #expect(try await redeem() == 200)
    let answered = fixture.time.now
    #expect(fixture.metrics.store[BookStore.app].answered == answered)

    let requests = fixture.receiptServer.requestCount
    fixture.time.advance(seconds: 60)
    #expect(try await redeem() == 200 && fixture.receiptServer.requestCount == requests)
    #expect(fixture.metrics.store[BookStore.app].answered == answered)
  }

  @Test("a verification without the store notes nothing")
  func offline() async throws {
    let fixture = try await ServerFixture()
    let (purchase, reader) = (
      try await fixture.bookStore.buy(on: fixture.bookStore.phone()), try await fixture.reader()
    )
    #expect(try await fixture.withClient { try await $0.redeem(purchase, token: reader.token) }.status == 200)
    #expect(fixture.metrics.store[BookStore.app] == StoreContacts.Contact())
  }

  @Test("an import notes the store's answer")
  func importing() async throws {
    try await ServerAPIShop.running { shop in
      let key = try await shop.adminKey()
      let coins = try await shop.bookStore.buy(on: shop.bookStore.phone())
      func lastAnswer() async throws -> Int? {
        let health = try await shop.client.get("/v1/operator/health", token: key)
        return health.list("apps").first?["lastAnswer"] as? Int
      }
      #expect(try await lastAnswer() == nil)
      let rows = [["subject": "ada", "transactionId": coins.id.rawValue]]
      let reply = try await shop.client.post(ImportPages.path, ImportPages.page(rows, apply: true), token: key)
      #expect(reply.status == 200, "\(reply.text)")
      #expect(try await lastAnswer() != nil)
    }
  }
}
