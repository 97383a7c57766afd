import Foundation
import HTTPTransport
import PurchaseLedger
import StoreModel
import Testing

@testable import PurchaseKit

/// Tests the rules of Documentation/purchase-kit.md, "Names and offerings".
@Suite("The list of offerings", .timeLimit(.minutes(30)))
struct OfferingListTests {
  private static let start = Date(timeIntervalSince1970: 1_790_000_000)
  private let server = ScriptedServer()
  private let folder = TestFolder()
  private var file: URL { folder.url.appending(path: "offerings.json") }

  private func list(_ server: PurchaseServerClient? = nil) throws -> OfferingList {
    try OfferingList(at: file, server: server ?? self.server.client(), clock: ManualClock(StoreDate(Self.start)))
  }

  private func answer(_ products: String..., tag: String, current: String? = "summer") {
    let ids = products.map { "\"\($0)\"" }.joined(separator: ",")
    let metadata = #"{"headline":"Sun","columns":[1,2.5,null,true,{"a":"b"}]}"#
    let member = current.map { "\"current\":\"\($0)\"," } ?? ""
    let body = """
      {"bundleId":"com.example.reader",\(member)"offerings":[
       {"id":"autumn","products":[],"metadata":{}},{"id":"summer","products":[\(ids)],"metadata":\(metadata)}]}
      """
    server.once("/offerings") { call, _ in
      if call.fields["If-None-Match"] == tag { return .init(status: 304) }
      return .init(fields: ["ETag": tag], body: Data(body.utf8))
    }
  }

  @Test(
    "the current offering is there in its order, also without a network; requests have the entity tag, and no token")
  func cached() async throws {
    let first = try list()
    #expect(first.current == nil && first.currentOffering == nil)
    answer("yearly", "monthly", tag: "\"1\"")
    #expect(try await first.refresh())
    #expect(first.currentOffering?.products == ["yearly", "monthly"])
    #expect(first.current?.offerings["autumn"]?.products == [])
    #expect(first.current?.offerings["none"] == nil)

    // The app is launched again, without a network.
    let again = try list()
    server.once("/offerings") { _, _ in throw HTTPFailure.unreachable(reason: "down") }
    await #expect(throws: PurchaseServerError.network(reason: "down")) { try await again.refresh() }
    #expect(again.currentOffering == first.currentOffering)
    #expect(again.current?.date == Self.start)
    answer("yearly", "monthly", tag: "\"1\"")
    #expect(try await !again.refresh())
    #expect(server.calls("/offerings").last?.fields["If-None-Match"] == "\"1\"")
    answer("monthly", "yearly", tag: "\"2\"")
    #expect(try await again.refresh(), "the order has changed")
    #expect(again.currentOffering?.products == ["monthly", "yearly"])
    answer("monthly", "yearly", tag: "\"3\"", current: nil)
    #expect(try await again.refresh())
    #expect(again.currentOffering == nil && again.current?.offerings.offerings.count == 2)
    #expect(server.calls("/offerings").allSatisfy { $0.fields["Authorization"] == nil })
  }

  @Test("metadata is decoded as a type of the app, also from the stored copy")
  func metadata() async throws {
    struct Paywall: Decodable, Equatable {
      struct Cell: Decodable, Equatable { let a: String }
      let headline: String
      let highlighted: String?
    }
    answer("monthly", tag: "\"1\"")
    try await list().refresh()
    let offering = try #require(try list().currentOffering)
    #expect(try offering.metadata.decoded(as: Paywall.self) == Paywall(headline: "Sun", highlighted: nil))
    #expect(offering.metadata.text("headline") == "Sun")
    #expect(offering.metadata.text("columns") == nil && offering.metadata.text("none") == nil)
    struct Wrong: Decodable { let headline: Int }
    #expect(throws: DecodingError.self) { try offering.metadata.decoded(as: Wrong.self) }
    // All kinds of values survive.
    let stored = try JSONEncoder().encode(offering)
    #expect(try JSONDecoder().decode(ServerOffering.self, from: stored) == offering)
  }

  @Test("a copy of another server, or an invalid one, is not used; a server without offerings is no obstacle")
  func otherCopy() async throws {
    answer("monthly", tag: "\"1\"")
    try await list().refresh()
    let other = PurchaseServerClient(
      ScriptedServer.address, bundleID: "com.example.other", device: nil, identity: .anonymous(MemoryVaultKeyStore()),
      transport: server)
    #expect(try list(other).current == nil)
    #expect(try list().current != nil)
    server.once("/offerings") { _, _ in
      .init(status: 404, body: Data(#"{"error":{"code":"noSuchEndpoint","message":"none"}}"#.utf8))
    }
    let known = try list()
    await #expect(throws: PurchaseServerError.self) { try await known.refresh() }
    #expect(known.currentOffering?.products == ["monthly"])
    try Data("{".utf8).write(to: file)
    #expect(try list().current == nil)
  }

  @Test("F3 the real server: the app gets its offerings, the names of products, and what the customer has by name")
  func live() async throws {
    try await LivePurchaseServer.running(files: ["text": Data("a".utf8)]) { server in
      let app = ScriptedServer.bundleID
      let name = try #require(EntitlementName(rawValue: "library"))
      try await server.ledger.publish(
        LedgerProduct(id: ProductID(ReaderStore.book), type: .nonConsumable, entitlements: [name]), app: app,
        by: "olga")
      try await server.ledger.publish(
        Offering(
          id: try #require(OfferingID(rawValue: "summer")),
          products: [ProductID(ReaderStore.coins), ProductID(ReaderStore.book)], metadata: #"{"headline":"Sun"}"#,
          isCurrent: true),
        app: app, by: "olga")
      let shop = try ReaderShop(try await ReaderStore().store, makeClient: server.client)
      let offerings = try OfferingList(at: shop.folder.url.appending(path: "offerings.json"), server: shop.client)
      #expect(try await offerings.refresh())
      #expect(offerings.currentOffering?.products == [ReaderStore.coins, ReaderStore.book])
      #expect(offerings.currentOffering?.metadata.text("headline") == "Sun")
      #expect(try await !offerings.refresh())
      let list = try MasterProductList(at: shop.folder.url.appending(path: "products.json"), server: shop.client)
      try await list.refresh()
      #expect(list.entitlementNames == ["library": [ReaderStore.book]])

      let state = try CustomerStateCopy(at: shop.folder.url.appending(path: "state.json"), server: shop.client)
      #expect(!state.isEntitled(toNamed: "library"))
      try await shop.buy(ReaderStore.book)
      try await state.refresh()
      #expect(state.isEntitled(toNamed: "library") && !state.isEntitled(toNamed: ReaderStore.book))
      let named = try await shop.client.namedEntitlements()
      #expect(named == state.current?.state.named)
      #expect(named.map(\.name) == ["library"] && named.map(\.products) == [[ReaderStore.book]])
      try await shop.close()
    }
  }
}
