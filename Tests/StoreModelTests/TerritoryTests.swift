import Foundation
import StoreModel
import Testing

@Suite("Storefronts", .timeLimit(.minutes(30)))
struct TerritoryTests {
  /// The storefronts that Apple does not bill in US dollars, by currency.
  private static let currencies: [String: Set<String>] = [
    "AED": ["ARE"], "AUD": ["AUS"], "BRL": ["BRA"], "CAD": ["CAN"], "CHF": ["CHE"], "CLP": ["CHL"], "CNY": ["CHN"],
    "COP": ["COL"], "CZK": ["CZE"], "DKK": ["DNK"], "EGP": ["EGY"], "GBP": ["GBR"], "HKD": ["HKG"], "HUF": ["HUN"],
    "IDR": ["IDN"], "ILS": ["ISR"], "INR": ["IND"], "JPY": ["JPN"], "KRW": ["KOR"], "KZT": ["KAZ"], "MXN": ["MEX"],
    "MYR": ["MYS"], "NGN": ["NGA"], "NOK": ["NOR"], "NZD": ["NZL"], "PEN": ["PER"], "PHP": ["PHL"], "PKR": ["PAK"],
    "PLN": ["POL"], "QAR": ["QAT"], "RON": ["ROU"], "RUB": ["RUS"], "SAR": ["SAU"], "SEK": ["SWE"], "SGD": ["SGP"],
    "THB": ["THA"], "TRY": ["TUR"], "TWD": ["TWN"], "TZS": ["TZA"], "VND": ["VNM"], "ZAR": ["ZAF"],
    "EUR": [
      "AUT", "BEL", "BGR", "BIH", "CYP", "DEU", "ESP", "EST", "FIN", "FRA", "GRC", "HRV", "IRL", "ITA", "LTU", "LUX",
      "LVA", "MLT", "MNE", "NLD", "PRT", "SRB", "SVK", "SVN",
    ],
  ]

  @Test("A4 the storefronts of the App Store are known, each in the currency that Apple bills it in")
  func currencies() {
    #expect(Territory.all.count == 175)
    for (currency, countries) in Dictionary(grouping: Territory.all, by: \.currency) where currency != "USD" {
      #expect(Set(countries.map(\.countryCode)) == Self.currencies[currency], "\(currency)")
    }
    #expect(Set(Territory.all.map(\.currency)) == Set(Self.currencies.keys).union(["USD"]))
  }

  @Test(
    "A4 a storefront has Apple's identifier and its country's languages",
    arguments: [
      ("UKR", "143492", "USD", ["uk_UA"]), ("KWT", "143493", "USD", ["ar_KW"]), ("COL", "143501", "COP", ["es_CO"]),
      ("RUS", "143469", "RUB", ["ru_RU"]), ("CHE", "143459", "CHF", ["de_CH", "fr_CH", "it_CH"]),
      ("BEL", "143446", "EUR", ["nl_BE", "fr_BE", "de_BE"]), ("CAN", "143455", "CAD", ["en_CA", "fr_CA"]),
      ("FIN", "143447", "EUR", ["fi_FI", "sv_FI"]), ("XKS", "143624", "USD", ["sq_XK", "sr_XK"]),
      ("USA", "143441", "USD", ["en_US"]), ("GEO", "143615", "USD", ["ka_GE"]),
      ("HKG", "143463", "HKD", ["zh_HK", "en_HK"]),
    ])
  func storefront(code: String, identifier: String, currency: String, locales: [String]) throws {
    let storefront = try #require(Territory(countryCode: code))
    #expect(storefront.identifier == identifier)
    #expect(storefront.currency == currency)
    #expect(storefront.localeIdentifiers == locales)
    #expect(storefront.localeIdentifier == locales[0])
  }

  @Test("storefronts are known by three letters, each once")
  func codes() {
    for code in ["XXX", "ATL", "usa", "US", "", "PRK", "CUB"] { #expect(Territory(countryCode: code) == nil) }
    #expect(Set(Territory.all.map(\.identifier)).count == Territory.all.count)
    #expect(Set(Territory.all.map(\.regionCode)).count == Territory.all.count)
    #expect(Territory.all.map(\.countryCode) == Set(Territory.all.map(\.countryCode)).sorted())
    #expect(Territory(countryCode: "USA") == .usa)
  }

  /// Foundation knows the most probable language of a country only, not which languages are official.
  @Test("A4 the first language is CLDR's for the country, unless that is not official or has no more speakers")
  func languages() {
    let known = Set(Locale.availableIdentifiers)
    var others: [String] = []
    for storefront in Territory.all {
      let probable = Locale.Language(identifier: "und-\(storefront.regionCode)").maximalIdentifier.prefix { $0 != "-" }
      if storefront.localeIdentifier.prefix(while: { $0 != "_" }) != probable { others.append(storefront.countryCode) }
      for locale in storefront.localeIdentifiers {
        #expect(locale.hasSuffix("_" + storefront.regionCode))
        let parts = Locale.Language(identifier: locale).maximalIdentifier.split(separator: "-")
        #expect(known.contains(locale) || known.contains(parts.joined(separator: "_")), "\(locale)")
      }
    }
    #expect(
      others == [
        "BLR", "COD", "GHA", "MLI", "MUS", "NAM", "NER", "PHL", "PLW", "PNG", "SEN", "SLE", "TCD", "VUT", "ZMB",
      ])
  }

  @Test(
    "A4 decimals are those of ISO 4217",
    arguments: [
      ("IDR", 2), ("COP", 2), ("PKR", 2), ("TWD", 2), ("HUF", 2), ("JPY", 0), ("KRW", 0), ("CLP", 0), ("VND", 0),
      ("KWD", 3), ("BHD", 3), ("USD", 2), ("TZS", 2), ("KZT", 2),
    ])
  func decimals(currency: String, decimals: Int) {
    #expect(Currency(currency).decimals == decimals)
  }

  @Test("B2 an amount is not rounded where a formatter omits the decimals of its currency")
  func formatted() {
    let indonesia = Locale(identifier: "id_ID")
    #expect(Price(amount: Milliunits(7_350_500), currency: "IDR").formatted(locale: indonesia) == "Rp7.350,50")
    #expect(Price(amount: Milliunits(7_350_000), currency: "IDR").formatted(locale: indonesia) == "Rp7.350")
  }
}
