import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The names and products of a subscription group", .timeLimit(.minutes(30)))
struct GroupListingTests {
  private static func group(_ localizations: String, _ products: String...) -> String {
    let subscriptions = products.map {
      #"{"productID":"\#($0)","internalID":"I-\#($0)","displayPrice":"1","recurringSubscriptionPeriod":"P1M"}"#
    }.joined(separator: ",")
    return #"{"id":"G","name":"Club","localizations":[\#(localizations)],"subscriptions":[\#(subscriptions)]}"#
  }

  private static func texts(_ locale: String, _ name: String) -> String {
    #"{"locale":"\#(locale)","displayName":"\#(name)","description":""}"#
  }

  private func file(_ groups: String...) throws -> StoreKitConfiguration {
    try readConfiguration(
      """
      {"products":[{"productID":"lamp","type":"NonConsumable","displayPrice":"2"}],
       "subscriptionGroups":[\(groups.joined(separator: ","))]}
      """)
  }

  @Test("A4 a listing has the group's name in the storefront's language, and the product's internal id")
  func names() throws {
    let products = try file(
      Self.group(Self.texts("en_US", "Tea club") + "," + Self.texts("de_DE", "Teeclub"), "gold", "silver")
    ).products
    let germany = try #require(Territory(countryCode: "DEU"))
    #expect(products.map { $0.listing(in: .usa).groupDisplayName } == [nil, "Tea club", "Tea club"])
    #expect(products.map { $0.listing(in: germany).groupDisplayName } == [nil, "Teeclub", "Teeclub"])
    #expect(products[1].listing(in: .usa, locale: "de").groupDisplayName == "Teeclub")
    #expect(products.map { $0.listing(in: .usa).internalID } == [products[0].internalID, "I-gold", "I-silver"])
    #expect(try file(Self.group("", "gold")).products.last?.listing(in: .usa).groupDisplayName == nil)
  }

  @Test("two groups with the same id are one group, with the name of the first")
  func sameGroup() throws {
    let products = try file(
      Self.group(Self.texts("en_US", "First"), "gold"), Self.group(Self.texts("en_US", "Second"), "silver")
    ).products
    #expect(products.dropFirst().map { $0.listing(in: .usa).groupDisplayName } == ["First", "First"])
  }

  @Test("a product comes back from the database with its group's texts; one of an earlier version has none")
  func stored() throws {
    let product = try #require(try file(Self.group(Self.texts("en_US", "Club"), "gold")).products.last)
    let json = try JSONEncoder().encode(product)
    #expect(try JSONDecoder().decode(ProductDefinition.self, from: json) == product)
    var members = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    members["groupLocalizations"] = nil
    let earlier = try JSONDecoder().decode(
      ProductDefinition.self, from: JSONSerialization.data(withJSONObject: members))
    #expect(earlier.groupLocalizations.isEmpty && earlier.productID == product.productID)
    let lamp = try #require(try file().products.first)
    #expect(!String(decoding: try JSONEncoder().encode(lamp), as: UTF8.self).contains("groupLocalizations"))
  }

  @Test("a device receives all products of a group that are on sale, after those that it names, each once")
  func ofGroup() async throws {
    let shop = try await TeaShop()
    try await shop.store.serve(TeaShop.app, catalog: [try file(Self.group("", "gold", "silver", "bronze"))])
    let phone = try await shop.phone()
    func products(_ ids: [ProductID], _ group: SubscriptionGroupID?) async throws -> [ProductID] {
      try await shop.store.products(ids, group: group, for: phone.id).products.map(\.productID)
    }
    #expect(try await products([], "G") == ["gold", "silver", "bronze"])
    #expect(try await products(["lamp", "silver"], "G") == ["lamp", "silver", "gold", "bronze"])
    #expect(try await products(["lamp"], "H") == ["lamp"])
    #expect(try await products([], nil) == [])
    try await shop.store.changeProduct("gold", of: TeaShop.app, ProductChange(isOnSale: false))
    let list = try await shop.store.products(["gold"], group: "G", for: phone.id)
    #expect(list.products.map(\.productID) == ["silver", "bronze"] && list.invalidProductIDs == ["gold"])
  }
}
