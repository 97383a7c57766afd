import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Products as a storefront shows them", .timeLimit(.minutes(30)))
struct ProductListingTests {
  private func product(_ locales: [String], prices: [String: Milliunits] = [:]) -> ProductDefinition {
    ProductDefinition(
      productID: "lamp", referenceName: "Lamp", type: .nonConsumable, price: Milliunits(4990), prices: prices,
      isFamilyShareable: true,
      localizations: locales.map { .init(locale: $0, displayName: "name \($0)", description: "text \($0)") })
  }

  @Test(
    "A4 texts come from the locale, then its language, then en_US, then the first",
    arguments: [
      (["en_US", "pt_BR", "pt_PT"], "pt_PT", "pt_PT"),
      (["en_US", "pt_BR", "pt_PT"], "pt-PT", "pt_PT"),
      (["en-US", "pt-PT", "pt-BR"], "pt_BR", "pt-BR"),
      (["en_US", "pt_PT", "pt_BR"], "PT_br@currency=BRL", "pt_BR"),
      (["en_US", "fr_CA", "fr_FR"], "fr_BE", "fr_CA"),
      (["ar", "en_US"], "ar_SA", "ar"),
      (["es_ES", "en_GB", "en_US"], "ja_JP", "en_US"),
      (["es_ES", "en-us"], "ja", "en-us"),
      (["es_ES", "en_GB"], "ja_JP", "es_ES"),
      (["es_ES"], "", "es_ES"),
    ])
  func localization(locales: [String], wanted: String, chosen: String) {
    let listing = product(locales).listing(in: .usa, locale: wanted)
    #expect(listing.displayName == "name \(chosen)")
    #expect(listing.productDescription == "text \(chosen)")
  }

  @Test("A4 without a locale the storefront's own decides, and without texts they are empty")
  func storefrontLocale() throws {
    let germany = try #require(Territory(countryCode: "DEU"))
    #expect(product(["en_US", "de_DE"]).listing(in: germany).displayName == "name de_DE")
    #expect(product(["en_US", "de_DE"]).listing(in: .usa).displayName == "name en_US")
    #expect(product([]).listing(in: .usa).displayName == "")
    #expect(product([]).listing(in: .usa).productDescription == "")
  }

  @Test("A4 the same number is priced in each storefront's currency, unless the storefront has its own")
  func price() throws {
    let germany = try #require(Territory(countryCode: "DEU"))
    let lamp = product([], prices: ["DEU": Milliunits(5490)])
    let american = lamp.listing(in: .usa, locale: "de_DE")
    #expect(american.price == Price(amount: Milliunits(4990), currency: "USD"))
    #expect(american.localeIdentifier == "en_US")
    let german = lamp.listing(in: germany, locale: "en_US")
    #expect(german.price == Price(amount: Milliunits(5490), currency: "EUR"))
    #expect(german.localeIdentifier == "de_DE")
  }

  @Test("A1 a listing carries the product's kind, sharing and subscription terms")
  func carriesTerms() throws {
    for product in try ConfigurationFixtures.all.flatMap({ try readConfiguration($0).products }) {
      let listing = product.listing(in: .usa)
      #expect(listing.productID == product.productID)
      #expect(listing.type == product.type)
      #expect(listing.isFamilyShareable == product.isFamilyShareable)
      #expect(listing.subscription == product.subscription)
      #expect((listing.subscription != nil) == (listing.type == .autoRenewableSubscription))
    }
  }

  @Test("A2 a definition survives being stored, and the same definition is the same bytes")
  func coding() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for product in try ConfigurationFixtures.all.flatMap({ try readConfiguration($0).products }) {
      let data = try encoder.encode(product)
      #expect(try JSONDecoder().decode(ProductDefinition.self, from: data) == product)
      #expect(try encoder.encode(product) == data)
    }
  }

  @Test("A2 a definition of identifier, type and price alone is complete")
  func leastDefinition() throws {
    let json = #"{"productID":"lamp","type":"Consumable","price":990}"#
    #expect(
      try JSONDecoder().decode(ProductDefinition.self, from: Data(json.utf8))
        == ProductDefinition(productID: "lamp", type: .consumable, price: Milliunits(990)))
  }

  @Test(
    "A definition that contradicts itself is not decoded",
    arguments: [
      #"{"productID":"","type":"Consumable","price":1}"#,
      #"{"productID":"a","type":"Consumable","price":-1}"#,
      #"{"productID":"a","type":"Consumable","price":1,"prices":{"USA":-1}}"#,
      #"{"productID":"a","type":"Auto-Renewable Subscription","price":1}"#,
      #"{"productID":"a","type":"Consumable","price":1,"#
        + #""subscription":{"groupID":"G","groupLevel":1,"period":"P1M","offers":[]}}"#,
    ])
  func contradiction(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ProductDefinition.self, from: Data(json.utf8))
    }
  }
}
