import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Finding records by the beginning of an identifier", .timeLimit(.minutes(30)))
struct StoreMatchesTests {
  private func matches(_ text: String, in shop: TeaShop, limit: Int = 10) async throws -> StoreMatches {
    try await shop.store.matches(beginningWith: text, limit: limit)
  }

  @Test("transactions are found by their id, its beginning, the id of a redelivery and the order id")
  func transactions() async throws {
    let shop = try await TeaShop.lasting()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    let first = try #require(try await shop.buy(TeaShop.teapot, as: "one", on: phone).deliveries.first)
    let again = try #require(try await shop.buy(TeaShop.teapot, as: "one", on: tablet).deliveries.first?.redelivery)
    let subscribed = try await shop.store.purchase(
      TeaShop.monthly, of: TeaShop.app, for: TeaShop.customer, in: .sandbox
    ).record
    let id = try first.signed.transactionID
    func found(_ text: String) async throws -> [TransactionID] {
      try await matches(text, in: shop).transactions.map(\.record.transactionID)
    }
    #expect(try await found(id.rawValue) == [id])
    #expect(try await found(again.transactionID.rawValue) == [id])
    #expect(try await found(shop.store.epoch.rawValue) == [subscribed.transactionID, id])
    #expect(try await matches(shop.store.epoch.rawValue, in: shop, limit: 1).transactions.count == 1)
    let order = try #require(subscribed.webOrderLineItemID)
    #expect(try await found(order) == [subscribed.transactionID])
    #expect(try await found(String(order.dropLast(3))) == [subscribed.transactionID])
    #expect(try await found(String(id.rawValue.dropFirst())) == [])
  }

  @Test("customers, products and installations are found in any case, and wildcards have no meaning")
  func others() async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "Ada"))
    let phone = try await shop.phone()
    #expect(try await matches("ADA", in: shop).customers.map(\.name) == ["Ada"])
    #expect(try await matches("customer", in: shop).customers.map(\.environment) == [.production, .sandbox])
    #expect(
      try await matches("org.example.TEAHOUSE.o", in: shop).products.map(\.definition.productID) == [TeaShop.oolong])
    #expect(try await matches("installation of", in: shop).installations.map(\.installationID) == [phone.id])
    for text in ["%", "_", "da", "'"] {
      let found = try await matches(text, in: shop)
      #expect(
        found == StoreMatches(transactions: [], customers: [], products: [], installations: []), "\(text)")
    }
  }

  @Test("the newest products are as many as wanted, however many apps sell the same ones")
  func newestProducts() async throws {
    let store = try EmulatedAppStore(.init(directory: nil))
    try await store.serve("org.example.first", catalog: [TeaShop.file(TeaShop.catalog())])
    let alone = try await store.newestProductIDs(limit: 3)
    #expect(Set(alone).count == 3)
    let products = TeaShop.catalog().filter { alone.prefix(1).contains($0.productID) }
    for number in 0..<9 {
      try await store.serve(BundleID("org.example.number\(number)"), catalog: [TeaShop.file(products)])
    }
    #expect(try await store.newestProductIDs(limit: 3) == alone)
    #expect(try await store.newestProductIDs(limit: 0) == [])
  }
}
