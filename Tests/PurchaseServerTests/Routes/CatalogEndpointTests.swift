import Foundation
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseServer

@Suite("The master list over HTTP", .timeLimit(.minutes(30)))
struct CatalogEndpointTests {
  private static let products = "\(ServerFixture.path)/products"

  @Test("A3 the listed products are public: ids, types, credits, sizes of files")
  func list() async throws {
    let reply = try await ServerFixture().withClient { try await $0.get(Self.products) }
    #expect(reply.status == 200)
    let products = reply.list("products")
    #expect(
      products.compactMap { $0["productId"] as? String }
        == [BookStore.book, BookStore.coins, BookStore.magazine, BookStore.poem].map(\.rawValue))
    let content = products[0]["content"] as? [String: Any]
    #expect(content?["files"] as? Int == 2)
    #expect(content?["size"] as? Int == ServerFixture.bookText.count + ServerFixture.audio.count)
    #expect((products[1]["credits"] as? [String: Any])?["amount"] as? Int == 5)
    #expect(products[2]["type"] as? String == "autoRenewableSubscription" || products[2]["type"] != nil)
  }

  @Test("A3 an unchanged list is 304, a changed one is not; each language is a separate document")
  func conditions() async throws {
    let fixture = try await ServerFixture()
    try await fixture.withClient { client in
      let first = try await client.get(Self.products)
      let tag = try #require(first.headers[.eTag])
      #expect(first.headers[.vary] == "Accept-Language")
      for field in [tag, "W/\(tag)", "\"x\", \(tag)", "*"] {
        let same = try await client.get(Self.products, headers: ["If-None-Match": field])
        #expect((same.status, same.body.count) == (304, 0))
        #expect(same.headers[.eTag] == tag)
      }
      let german = try await client.get(
        Self.products, headers: ["If-None-Match": tag, "Accept-Language": "de"])
      #expect(german.status == 200)
      #expect(german.headers[.eTag] != tag)
      try await fixture.ledger.publish(
        LedgerProduct(id: BookStore.magazine, type: .nonConsumable, isListed: false), app: BookStore.app,
        by: "olga")
      let changed = try await client.get(Self.products, headers: ["If-None-Match": tag])
      #expect(changed.status == 200)
      #expect(changed.list("products").count == 3)
    }
  }

  @Test(
    "A3 texts come in the preferred language, or the nearest available one",
    arguments: [
      ("de", "de"), ("de-AT", "de"), ("fr", "en"), ("fr, de;q=0.5", "de"), ("de;q=0.1, en;q=0.9", "en"),
      ("DE", "de"), ("de;q=0, *", "en"), ("*", "en"), ("", "en"), (";q=1", "en"), ("de;q=nan, en;q=0.1", "en"),
      ("de;q=inf", "en"), ("de ; Q=0.9 , en;q=0.8", "de"), (String(repeating: "x,", count: 5_000) + "de", "en"),
      ("de-\u{130}", "de"),
    ])
  func languages(header: String, language: String) async throws {
    let reply = try await ServerFixture().withClient {
      try await $0.get(Self.products, headers: ["Accept-Language": header])
    }
    let coins = reply.list("products").first { $0["productId"] as? String == BookStore.coins.rawValue }
    #expect(coins?["language"] as? String == language)
    #expect(coins?["name"] as? String == (language == "de" ? "Fünf Münzen" : "Five coins"))
  }

  @Test("HEAD answers as GET, without the body")
  func head() async throws {
    try await ServerFixture().withClient { client in
      let (get, head) = (try await client.get(Self.products), try await client.send(.head, Self.products))
      #expect((head.status, head.body.count) == (200, 0))
      #expect(head.headers[.contentLength] == get.headers[.contentLength])
      #expect(head.headers[.eTag] == get.headers[.eTag])
    }
  }
}
