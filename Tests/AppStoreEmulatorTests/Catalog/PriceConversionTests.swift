import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Prices in other currencies than the catalog's", .timeLimit(.minutes(30)))
struct PriceConversionTests {
  private func converted(_ price: Int64, from catalog: String = "USD", to currency: String) -> Int64 {
    PriceConversion(catalogCurrency: catalog, currency: currency).converted(Milliunits(price)).rawValue
  }

  @Test(
    "B2 a price is converted by the table and rounded half up to the currency's smallest unit",
    arguments: [
      (490, "USD", "JPY", 74_000), (990, "USD", "JPY", 149_000), (3, "USD", "JPY", 1_000), (10, "USD", "JPY", 2_000),
      (990, "USD", "EUR", 990), (990, "USD", "HUF", 396_000), (1_990, "USD", "KRW", 2_985_000),
      (1_990, "USD", "PKR", 597_000), (990, "USD", "COP", 3_960_000),
      (990, "USD", "IDR", 14_850_000), (10, "AED", "IDR", 37_500), (985, "USD", "GBP", 990), (984, "USD", "GBP", 980),
      (120_000, "JPY", "USD", 800), (100_000, "JPY", "USD", 670),
      (120_000, "JPY", "EUR", 800), (5, "USD", "USD", 10), (990, "USD", "XXX", 990),
    ])
  func table(price: Int64, catalog: String, currency: String, expected: Int64) {
    #expect(converted(price, from: catalog, to: currency) == expected)
  }

  @Test("B2 what is paid never costs zero, and what is free stays free, in every currency of a storefront")
  func zero() {
    for currency in Set(Territory.all.map(\.currency)) {
      for catalog in ["USD", "JPY", "VND", "GBP"] {
        let unit = Currency(currency).smallestUnit.rawValue
        #expect(converted(0, from: catalog, to: currency) == 0)
        for price in [1, 4, 490] as [Int64] {
          let amount = converted(price, from: catalog, to: currency)
          #expect(amount >= unit && amount % unit == 0, "\(price) \(catalog) in \(currency)")
        }
      }
    }
  }

  @Test("the largest price stays a price that the store can charge, in every currency")
  func largest() {
    let largest = ProductDefinition.prices.upperBound
    for currency in Set(Territory.all.map(\.currency)) {
      let amount = converted(largest.rawValue, to: currency)
      #expect(amount > 0 && amount <= largest.rawValue && amount % Currency(currency).smallestUnit.rawValue == 0)
    }
  }

  @Test("A4 B2 a price of the storefront's own stays as it was given; the file's is in its own storefront's currency")
  func given() throws {
    let (japan, usa) = (try #require(Territory(countryCode: "JPN")), Territory.usa)
    let tea = ProductDefinition(
      productID: "tea", type: .consumable, price: Milliunits(120_000), prices: ["USA": Milliunits(1_490)])
    let catalog = CatalogDefaults(storefront: japan)
    #expect(tea.price(in: japan, of: catalog) == Milliunits(120_000))
    #expect(tea.price(in: usa, of: catalog) == Milliunits(1_490))
    let germany = try #require(Territory(countryCode: "DEU"))
    #expect(tea.price(in: germany, of: catalog) == Milliunits(800))
    // The file's price is 0.49 yen. The smallest amount that can be paid is 1 yen.
    let odd = ProductDefinition(productID: "odd", type: .consumable, price: Milliunits(490))
    #expect(odd.price(in: japan, of: catalog) == Milliunits(1_000))
  }

  @Test("B2 a subscription's offers are converted with it, and a free trial stays free")
  func offers() throws {
    let month = try #require(CalendarPeriod(iso8601: "P1M"))
    let offers = [
      SubscriptionOffer(
        kind: .introductory, identifier: nil, paymentMode: .freeTrial, period: month, price: .zero),
      SubscriptionOffer(
        kind: .promotional, identifier: "half", paymentMode: .payUpFront, period: month, price: Milliunits(490)),
    ]
    let club = ProductDefinition(
      productID: "club", type: .autoRenewableSubscription, price: Milliunits(990),
      subscription: SubscriptionTerms(groupID: "g", groupLevel: 1, period: month, offers: offers))
    let japan = try #require(Territory(countryCode: "JPN"))
    #expect(club.listing(in: japan).subscription?.offers.map(\.price.rawValue) == [0, 74_000])
  }

  @Test("the table is the documented one, and has every currency of a storefront")
  func documented() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "Documentation/prices.md"), encoding: .utf8)
    var documented: [String: UInt64] = [:]
    for match in page.matches(of: /\| ([A-Z]{3}) \| ([0-9]+) (?=\|)/) {
      documented[String(match.output.1)] = UInt64(match.output.2)
    }
    #expect(documented == PriceConversion.table)
    #expect(Set(Territory.all.map(\.currency)) == Set(documented.keys))
    // A storefront with several languages has them in a table of the page.
    var languages: [String: [String]] = [:]
    for match in page.matches(of: /\| ([A-Z]{3}) \| ([a-z]{2,3}(?:, [a-z]{2,3})+) (?=\|)/) {
      languages[String(match.output.1)] = match.output.2.split(separator: ", ").map(String.init)
    }
    for storefront in Territory.all {
      let own = storefront.localeIdentifiers.compactMap { $0.split(separator: "_").first.map(String.init) }
      #expect(languages[storefront.countryCode] ?? [own[0]] == own, "\(storefront.countryCode)")
    }
  }

  @Test("B2 refunding a part gives back what can be paid, the whole all of it, and a reversal just that")
  func refunds() async throws {
    let shop = try await TeaShop()
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.storefrontCountryCode = "JPN" }
    // 1.99 is 299 yen.
    let id = try await shop.store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
      .record.transactionID
    try await shop.store.refund(id, percentage: 50_000)
    try await shop.store.reverseRefund(of: id)
    try await shop.store.refund(id)
    #expect(try await shop.store.charges().map(\.amount.rawValue) == [299_000])
    #expect(try await shop.store.refunds().map(\.amount.rawValue) == [299_000, -149_000, 149_000])
  }

  @Test(
    "A4 a storefront of Chinese shows the texts in its script, whichever come first",
    arguments: [("CHN", "Hans"), ("TWN", "Hant"), ("HKG", "Hant")])
  func scripts(country: String, script: String) throws {
    let storefront = try #require(Territory(countryCode: country))
    for locales in [["zh_Hans", "zh_Hant"], ["zh_Hant", "zh_Hans"], ["en_US", "zh-Hant-TW", "zh-Hans-CN"]] {
      let lamp = ProductDefinition(
        productID: "lamp", type: .nonConsumable, price: Milliunits(990),
        localizations: locales.map { .init(locale: $0, displayName: $0, description: "") })
      #expect(lamp.listing(in: storefront).displayName.contains(script), "\(locales)")
    }
  }

  @Test(
    "A4 of a storefront's languages, the first that the file has is shown, before the file's own locale",
    arguments: [
      ("CHE", ["en_US", "it_IT", "fr_FR"], "fr_FR"), ("CHE", ["en_US", "fr_FR", "de_DE"], "de_DE"),
      ("CHE", ["en_US", "fr_FR", "it_CH"], "fr_FR"), ("CHE", ["en_US", "rm_CH"], "en_US"),
      ("BEL", ["de_DE", "en_US", "fr_CA"], "fr_CA"), ("CAN", ["fr_FR", "de_DE"], "fr_FR"),
      ("CAN", ["fr_FR", "en_GB"], "en_GB"), ("KAZ", ["en_US", "kk"], "kk"), ("NOR", ["en_US", "no"], "no"),
      ("ISR", ["en_US", "iw"], "iw"), ("UKR", ["ru_RU", "en_US"], "en_US"), ("UKR", ["ru_RU", "uk"], "uk"),
      ("IND", ["de_DE", "en_GB"], "en_GB"),
    ])
  func languages(country: String, locales: [String], expected: String) throws {
    let storefront = try #require(Territory(countryCode: country))
    let lamp = ProductDefinition(
      productID: "lamp", type: .nonConsumable, price: Milliunits(990),
      localizations: locales.map { .init(locale: $0, displayName: $0, description: "") })
    #expect(lamp.listing(in: storefront, of: CatalogDefaults(locale: "en_US")).displayName == expected)
    #expect(lamp.listing(in: storefront, locale: locales[0]).displayName == locales[0])
  }

  @Test("A4 the storefront's language, then the catalog's locale; a locale that was chosen comes before all")
  func texts() throws {
    let lamp = ProductDefinition(
      productID: "lamp", type: .nonConsumable, price: Milliunits(990),
      localizations: ["en_US", "fr_CA", "de_DE"].map { .init(locale: $0, displayName: $0, description: "") })
    func name(_ country: String, _ locale: String?, chosen: String? = nil) throws -> String {
      let storefront = try #require(Territory(countryCode: country))
      return lamp.listing(in: storefront, of: CatalogDefaults(locale: locale), locale: chosen).displayName
    }
    #expect(try name("DEU", "fr_CA") == "de_DE")
    #expect(try name("AUT", "en_US") == "de_DE")
    #expect(try name("JPN", "fr_FR") == "fr_CA")
    #expect(try name("JPN", "ja_JP") == "en_US")
    #expect(try name("JPN", nil) == "en_US")
    #expect(try name("DEU", "de_DE", chosen: "fr_CA") == "fr_CA")
  }
}
