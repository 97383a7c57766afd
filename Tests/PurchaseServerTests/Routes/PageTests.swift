import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

@Suite("Pages of a customer's lists", .timeLimit(.minutes(30)))
struct PageTests {
  @Test("entitlements and deliveries have every element once, in pages that `next` joins; other positions are refused")
  func pages() async throws {
    let fixture = try await ServerFixture()
    let reader = try await fixture.reader()
    let customer = try #require(CustomerID(reader.customer))
    let products = [BookStore.book, BookStore.poem, BookStore.magazine, BookStore.sticker]
    for (place, product) in products.enumerated() {
      for number in 0..<2 {
        try await fixture.ledger.grant(
          .product(product, accessUntil: nil), to: customer, app: BookStore.app, key: "\(place) \(number)",
          reason: "test",
          by: "olga")
      }
    }
    try await fixture.withClient { client in
      for (list, count) in [("entitlements", 8), ("deliveries", 4)] {
        var (found, next, pages): ([String], String?, Int) = ([], nil, 0)
        repeat {
          let query = next.map { "&after=\($0)" } ?? ""
          let page = try await client.get("\(ServerFixture.path)/\(list)?limit=3\(query)", token: reader.token)
          #expect(page.status == 200, "\(page.text)")
          #expect(page.list(list).count <= 3)
          found += page.list(list).map { "\($0["productId"] ?? "") \($0["source"] ?? "")" }
          next = page.object["next"] as? String
          pages += 1
        } while next != nil && pages < 10
        #expect(found.count == count && Set(found).count == count, "\(list): \(found)")
        #expect(pages == (count + 2) / 3)
        for query in ["after=x", "after=WyJhIl0", "limit=0", "limit=1001"] {
          let refused = try await client.get("\(ServerFixture.path)/\(list)?\(query)", token: reader.token)
          #expect([400, 422].contains(refused.status), "\(query): \(refused.text)")
        }
      }
    }
  }

  @Test("operators' keys have pages, oldest first, also of one millisecond; all keys are on one page by default")
  func operatorKeys() async throws {
    let fixture = try await ServerFixture()
    for number in 0..<4 {
      _ = try await fixture.ledger.createOperatorKey(name: "key \(number)", role: .admin, by: .commandLine)
    }
    let expected = try await fixture.ledger.operatorKeys().map(\.id)
    #expect(expected.count == 5)
    try await fixture.withClient { client in
      let all = try await client.get("/v1/operator/keys", token: fixture.operatorKey)
      #expect(all.list("keys").map { $0["id"] as? String } == expected)
      #expect(all.object["next"] == nil)
      var (found, next): ([String], String?) = ([], nil)
      repeat {
        let after = next.map { "&after=\($0)" } ?? ""
        let page = try await client.get("/v1/operator/keys?limit=2\(after)", token: fixture.operatorKey)
        #expect(page.status == 200, "\(page.text)")
        #expect((1...2).contains(page.list("keys").count))
        found += page.list("keys").compactMap { $0["id"] as? String }
        next = page.object["next"] as? String
      } while next != nil && found.count < 10
      #expect(found == expected)
      for query in ["after=x", "after=WyJhIiwiYiJd", "after=WyJhIl0", "limit=0", "limit=1001"] {
        let refused = try await client.get("/v1/operator/keys?\(query)", token: fixture.operatorKey)
        #expect([400, 422].contains(refused.status), "\(query): \(refused.text)")
      }
    }
  }
}
