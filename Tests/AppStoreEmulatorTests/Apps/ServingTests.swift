import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Putting an app on sale", .timeLimit(.minutes(30)))
struct ServingTests {
  @Test("A3 serving again replaces the catalog, in the new order, and keeps app and purchases")
  func replaces() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    let app = try await shop.store.app(TeaShop.app)
    let matcha = ProductDefinition(productID: "matcha", type: .consumable, price: Milliunits(3000))
    let oolong = try #require(TeaShop.catalog(oolongPrice: 2000).first)
    try await shop.sell([matcha, oolong])
    #expect(try await shop.store.catalog(of: TeaShop.app).map(\.product) == [matcha, oolong])
    #expect(try await shop.store.app(TeaShop.app) == app)
    #expect(try await shop.store.transactions().count == 1)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.count == 1)
    #expect(try await shop.store.customers().count == 2)
  }

  @Test("the products of several files come one after the other")
  func severalFiles() async throws {
    let store = try EmulatedAppStore(.inMemory())
    let catalog = TeaShop.catalog()
    try await store.serve(TeaShop.app, catalog: [TeaShop.file([catalog[2]]), TeaShop.file([catalog[0], catalog[1]])])
    #expect(try await store.catalog(of: TeaShop.app).map(\.product) == [catalog[2], catalog[0], catalog[1]])
  }

  @Test("a product defined in two files is refused, and the store is as it was")
  func duplicateProduct() async throws {
    let shop = try await TeaShop()
    let before = try await shop.records()
    let catalog = TeaShop.catalog(oolongPrice: 1)
    await #expect(throws: AppStoreEmulatorError.duplicateProduct(TeaShop.oolong)) {
      try await shop.store.serve(TeaShop.app, catalog: [TeaShop.file(catalog), TeaShop.file([catalog[0]])])
    }
    #expect(try await shop.records() == before)
  }

  @Test("an empty bundle id and an unknown storefront are refused, and the store is unchanged")
  func refusals() async throws {
    let shop = try await TeaShop()
    let before = try await shop.records()
    await #expect(throws: AppStoreEmulatorError.emptyName("bundle id")) {
      try await shop.store.serve("", catalog: [TeaShop.file(TeaShop.catalog())])
    }
    await #expect(throws: AppStoreEmulatorError.unknownStorefront("ATL")) {
      try await shop.sell(TeaShop.catalog(), storefront: "ATL")
    }
    #expect(try await shop.records() == before)
  }

  @Test("one store serves many apps, each with its own products and secret")
  func manyApps() async throws {
    let shop = try await TeaShop()
    let coffee = ProductDefinition(productID: TeaShop.oolong, type: .consumable, price: Milliunits(1))
    try await shop.store.serve("org.example.coffee", catalog: [TeaShop.file([coffee])])
    let apps = try await shop.store.apps()
    #expect(apps.map(\.bundleID) == ["org.example.coffee", TeaShop.app])
    #expect(Set(apps.map(\.sharedSecret)).count == 2)
    #expect(try await shop.store.catalog(of: "org.example.coffee").map(\.product) == [coffee])
    #expect(try await shop.store.catalog(of: TeaShop.app).map(\.product) == TeaShop.catalog())
    await #expect(throws: AppStoreEmulatorError.unknownApp("none", known: apps.map(\.bundleID))) {
      try await shop.store.catalog(of: "none")
    }
  }

  @Test("the app's number is the one its synced file names, and is invented otherwise")
  func appAppleID() async throws {
    let store = try EmulatedAppStore(.inMemory(seed: 3))
    let invented = try await store.serve(TeaShop.app, catalog: [TeaShop.file([])])
    #expect((1_000_000_000..<9_999_999_999).contains(invented.appAppleID))
    let named = try await store.serve(TeaShop.app, catalog: [TeaShop.file([], appAppleID: "1234567890")])
    #expect(named.appAppleID == 1_234_567_890)
    #expect(named.sharedSecret == invented.sharedSecret)
  }
}
