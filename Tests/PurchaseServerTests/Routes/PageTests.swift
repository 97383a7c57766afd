import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger
@testable import PurchaseServer

@Suite("Pages of a customer's lists", .timeLimit(.minutes(10)))
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
}
