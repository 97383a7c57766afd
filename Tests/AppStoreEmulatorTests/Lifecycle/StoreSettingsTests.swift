import Foundation
import GRDB
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The settings of a store", .timeLimit(.minutes(30)))
struct StoreSettingsTests {
  private func names(_ shop: TeaShop, on phone: Phone) async throws -> [String] {
    let products = try await shop.store.send(ProductsCall(productIDs: [TeaShop.sencha]), for: phone.id).products
    return products.map(\.displayName) + [try await shop.quote(TeaShop.sencha, on: phone).displayName]
  }

  @Test("A4 a chosen locale decides titles and descriptions in all storefronts; null leaves them to each storefront")
  func locale() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    #expect(try await names(shop, on: phone) == ["Sencha", "Sencha"])
    try await shop.store.changeSettings { $0.locale = "de_DE" }
    #expect(try await names(shop, on: phone) == ["Sencha-Tee", "Sencha-Tee"])
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "DEU" }
    try await shop.store.changeSettings { $0.locale = "en_US" }
    #expect(try await names(shop, on: phone) == ["Sencha", "Sencha"])
    try await shop.store.changeSettings { $0.locale = nil }
    #expect(try await names(shop, on: phone) == ["Sencha-Tee", "Sencha-Tee"])
  }

  @Test(
    "a locale is a language with an optional script and region, in one form",
    arguments: [
      ("de", "de"), ("de-de", "de_DE"), ("ZH_hant_tw", "zh_Hant_TW"), ("es-419", "es_419"), ("fil_PH", "fil_PH"),
      ("", nil), ("german", nil), ("de_", nil), ("de_DE_x", nil), ("xx_YY", nil), ("de DE", nil), ("de_DE\n", nil),
    ] as [(String, String?)])
  func form(text: String, expected: String?) async throws {
    let shop = try await TeaShop()
    if let expected {
      #expect(try await shop.store.changeSettings { $0.locale = text }.locale == expected)
    } else {
      await #expect(throws: AppStoreEmulatorError.invalidLocale(text)) {
        try await shop.store.changeSettings { $0.locale = text }
      }
      #expect(try await shop.store.settings() == StoreSettings())
    }
  }

  private static let changed = StoreSettings(locale: "ja_JP", documented21003: true, lenientBase64: true)

  @Test("they outlast a restart, and a reset returns them to their defaults")
  func restart() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let first = try await TeaShop(directory: folder.url)
    try await first.store.changeSettings { $0 = Self.changed }
    try first.store.close()
    let second = try await TeaShop(directory: folder.url)
    #expect(try await second.store.settings() == Self.changed)
    try await second.store.reset()
    #expect(try await second.store.settings() == StoreSettings())
    try second.store.close()
  }

  @Test("a snapshot contains them; one with an impossible locale is refused")
  func snapshot() async throws {
    let shop = try await TeaShop()
    try await shop.store.changeSettings { $0 = Self.changed }
    let snapshot = try await shop.store.snapshot()
    try await shop.store.reset()
    try await shop.store.restore(snapshot)
    #expect(try await shop.store.settings() == Self.changed)
    let edited = try TeaShop.edited(snapshot) { try $0.execute(sql: "UPDATE store SET locale = 'Klingon'") }
    await #expect(throws: AppStoreEmulatorError.self) { try await shop.store.restore(edited) }
    #expect(try await shop.store.settings() == Self.changed)
  }
}
