import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Changing what is on sale", .timeLimit(.minutes(30)))
struct SalesTests {
  private func change(_ shop: TeaShop, _ change: ProductChange, _ product: ProductID = TeaShop.oolong) async throws {
    try await shop.store.changeProduct(product, of: TeaShop.app, change)
  }

  @Test("B2 after a change of price a confirmed quote is stale, and only the new price is charged")
  func price() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let old = try await shop.quote(on: phone)
    try await change(shop, ProductChange(price: Milliunits(2490)))
    let now = try #require(try await shop.store.confirm(old, for: phone.id).replacement)
    #expect(now.total.amount == Milliunits(2490))
    #expect(try await shop.store.charges().isEmpty)
    _ = try await shop.store.confirm(now, for: phone.id).purchase()
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(2490)])
  }

  @Test("a price of one storefront is changed by itself")
  func storefrontPrices() async throws {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "greta", storefrontCountryCode: "DEU"))
    let (here, there) = (try await shop.phone(), try await shop.phone("tablet", signedInAs: "greta"))
    try await change(shop, ProductChange(prices: ["DEU": Milliunits(1790)]))
    #expect(try await shop.quote(on: here).total.amount == Milliunits(1990))
    #expect(try await shop.quote(on: there).total.amount == Milliunits(1790))
    try await change(shop, ProductChange(prices: [:]))
    #expect(try await shop.quote(on: there).total.amount == Milliunits(1990))
  }

  @Test("what is off sale is unknown to apps and cannot be bought; put back, it has its place and price again")
  func offSale() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await change(shop, ProductChange(price: Milliunits(2000), isOnSale: false))
    #expect(try await shop.store.products([TeaShop.oolong], for: phone.id).invalidProductIDs == [TeaShop.oolong])
    #expect(try await refusal { _ = try await shop.quote(on: phone) } == .productNotAvailable)
    await #expect(throws: StoreRefusal.self) {
      try await shop.store.beginPromotedPurchase(of: TeaShop.oolong, on: phone.id)
    }
    #expect(try await shop.store.catalog(of: TeaShop.app).map(\.isOnSale) == [false, true, true])
    try await change(shop, ProductChange(isOnSale: true))
    #expect(try await shop.quote(on: phone).total.amount == Milliunits(2000))
    #expect(
      try await shop.store.catalog(of: TeaShop.app).map(\.product.productID) == TeaShop.catalog().map(\.productID))
  }

  @Test("a catalog that is replaced is all on sale")
  func replaced() async throws {
    let shop = try await TeaShop()
    try await change(shop, ProductChange(isOnSale: false))
    try await shop.sell(TeaShop.catalog())
    #expect(try await shop.store.catalog(of: TeaShop.app).allSatisfy(\.isOnSale))
  }

  @Test("what makes no sense is refused, and changes nothing")
  func refusals() async throws {
    let shop = try await TeaShop()
    let before = try await shop.records()
    func refused(
      _ change: ProductChange, _ product: ProductID = TeaShop.oolong, of app: BundleID = TeaShop.app
    ) async
      -> AppStoreEmulatorError?
    {
      await #expect(throws: AppStoreEmulatorError.self) {
        try await shop.store.changeProduct(product, of: app, change)
      }
    }
    let free = ProductChange(price: .zero)
    #expect(await refused(free, "x") == .unknownProduct("x", TeaShop.app))
    #expect(await refused(free, of: "none") == .unknownApp("none", known: [TeaShop.app]))
    for price in [Milliunits(-1), Milliunits(1_000_000_000_000_000), Milliunits(.max), Milliunits(.min)] {
      #expect(await refused(ProductChange(price: price)) == .priceOutOfRange(price))
      #expect(await refused(ProductChange(price: .zero, prices: ["DEU": price])) == .priceOutOfRange(price))
    }
    #expect(await refused(ProductChange(prices: ["ATL": .zero], isOnSale: false)) == .unknownStorefront("ATL"))
    #expect(try await shop.records() == before)
    try await change(shop, free)
  }
}
