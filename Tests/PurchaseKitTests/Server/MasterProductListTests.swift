import Foundation
import HTTPTransport
import StoreModel
import Testing

@testable import PurchaseKit

@Suite("The master list of products", .timeLimit(.minutes(30)))
struct MasterProductListTests {
  private let server = ScriptedServer()
  private let folder = TestFolder()
  private var file: URL { folder.url.appending(path: "products.json") }

  private func list(_ languages: String? = nil) throws -> MasterProductList {
    try MasterProductList(
      at: file, server: server.client(), languages: languages,
      clock: ManualClock(StoreDate(Date(timeIntervalSince1970: 1_790_000_000))))
  }

  private func answer(_ products: String..., tag: String) {
    let views = products.map { #"{"productId": "\#($0)", "type": "Non-Consumable"}"# }.joined(separator: ",")
    server.once("/products") { call, _ in
      if call.fields["If-None-Match"] == tag { return .init(status: 304) }
      return .init(
        fields: ["ETag": tag],
        body: Data(#"{"bundleId": "com.example.reader", "revision": 1, "products": [\#(views)]}"#.utf8))
    }
  }

  @Test(
    "A3 products appear as the server lists them, also without a network; requests contain the entity tag"
  )
  func cached() async throws {
    let list = try list()
    #expect(list.current == nil)
    answer("book", tag: "\"1\"")
    #expect(try await list.refresh())
    #expect(list.productIdentifiers() == ["book"])
    // The app is launched again, without a network.
    let again = try self.list()
    server.once("/products") { _, _ in throw HTTPFailure.unreachable(reason: "down") }
    await #expect(throws: PurchaseServerError.network(reason: "down")) { try await again.refresh() }
    #expect(again.productIdentifiers() == ["book"])
    #expect(again.current?.date == Date(timeIntervalSince1970: 1_790_000_000))
    answer("book", tag: "\"1\"")
    #expect(try await again.refresh() == false)
    #expect(server.calls("/products").last?.fields["If-None-Match"] == "\"1\"")
    answer("book", "atlas", tag: "\"2\"")
    #expect(try await again.refresh())
    #expect(again.productIdentifiers { $0.productId == "atlas" } == ["atlas"])
    #expect(server.calls("/products").allSatisfy { $0.fields["Authorization"] == nil })
  }

  @Test("the names of products are listed, and stored; a server of an earlier version has none")
  func names() async throws {
    let list = try list()
    answer("book", tag: "\"1\"")
    try await list.refresh()
    #expect(list.entitlementNames.isEmpty && list.current?.list.products.first?.entitlements == [])
    let products = """
      [{"productId": "monthly", "type": "Auto-Renewable Subscription", "entitlements": ["club", "news"]},
       {"productId": "yearly", "type": "Auto-Renewable Subscription", "entitlements": ["club"]},
       {"productId": "book", "type": "Non-Consumable", "entitlements": []}]
      """
    let body = Data(#"{"bundleId": "com.example.reader", "revision": 2, "products": \#(products)}"#.utf8)
    server.once("/products") { _, _ in .init(fields: ["ETag": "\"2\""], body: body) }
    #expect(try await list.refresh())
    for list in [list, try self.list()] {
      #expect(list.entitlementNames == ["club": ["monthly", "yearly"], "news": ["monthly"]])
    }
  }

  @Test("a copy in another language, or an invalid one, is not used")
  func otherCopy() async throws {
    answer("book", tag: "\"1\"")
    try await list("de").refresh()
    #expect(try list("de").current != nil)
    #expect(try list("en").current == nil)
    try Data("{".utf8).write(to: file)
    #expect(try list("de").current == nil)
  }
}
