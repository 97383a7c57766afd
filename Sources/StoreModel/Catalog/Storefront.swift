import Foundation

/// The App Store of one country: its currency, and the locale that formats its prices.
///
/// The identifiers are those that Apple publishes for its storefronts.
public struct Storefront: Hashable, Codable, Sendable {
  /// ISO 3166-1 alpha-3, such as `USA`.
  public let countryCode: String
  /// Apple's identifier of the storefront, such as `143441`.
  public let identifier: String
  /// An ISO 4217 code.
  public let currency: String
  /// The locale that formats prices, such as `en_US`.
  public let localeIdentifier: String

  public static let usa = Storefront(
    countryCode: "USA", identifier: "143441", currency: "USD", localeIdentifier: "en_US")

  /// All known storefronts, ordered by country code.
  public static let all: [Storefront] = table.map {
    Storefront(countryCode: $0.0, identifier: $0.1, currency: $0.2, localeIdentifier: $0.3)
  }

  /// Nil if the country has no known storefront.
  public init?(countryCode: String) {
    guard let match = Self.all.first(where: { $0.countryCode == countryCode }) else { return nil }
    self = match
  }

  private init(countryCode: String, identifier: String, currency: String, localeIdentifier: String) {
    self.countryCode = countryCode
    self.identifier = identifier
    self.currency = currency
    self.localeIdentifier = localeIdentifier
  }

  private static let table: [(String, String, String, String)] = [
    ("ARE", "143481", "AED", "en_AE"),
    ("AUS", "143460", "AUD", "en_AU"),
    ("AUT", "143445", "EUR", "de_AT"),
    ("BEL", "143446", "EUR", "nl_BE"),
    ("BRA", "143503", "BRL", "pt_BR"),
    ("CAN", "143455", "CAD", "en_CA"),
    ("CHE", "143459", "CHF", "de_CH"),
    ("CHL", "143483", "CLP", "es_CL"),
    ("CHN", "143465", "CNY", "zh_CN"),
    ("CZE", "143489", "CZK", "cs_CZ"),
    ("DEU", "143443", "EUR", "de_DE"),
    ("DNK", "143458", "DKK", "da_DK"),
    ("ESP", "143454", "EUR", "es_ES"),
    ("FIN", "143447", "EUR", "fi_FI"),
    ("FRA", "143442", "EUR", "fr_FR"),
    ("GBR", "143444", "GBP", "en_GB"),
    ("GRC", "143448", "EUR", "el_GR"),
    ("HKG", "143463", "HKD", "zh_HK"),
    ("HUN", "143482", "HUF", "hu_HU"),
    ("IDN", "143476", "IDR", "id_ID"),
    ("IND", "143467", "INR", "en_IN"),
    ("IRL", "143449", "EUR", "en_IE"),
    ("ISR", "143491", "ILS", "he_IL"),
    ("ITA", "143450", "EUR", "it_IT"),
    ("JPN", "143462", "JPY", "ja_JP"),
    ("KOR", "143466", "KRW", "ko_KR"),
    ("LUX", "143451", "EUR", "fr_LU"),
    ("MEX", "143468", "MXN", "es_MX"),
    ("MYS", "143473", "MYR", "ms_MY"),
    ("NLD", "143452", "EUR", "nl_NL"),
    ("NOR", "143457", "NOK", "nb_NO"),
    ("NZL", "143461", "NZD", "en_NZ"),
    ("PHL", "143474", "PHP", "en_PH"),
    ("POL", "143478", "PLN", "pl_PL"),
    ("PRT", "143453", "EUR", "pt_PT"),
    ("SAU", "143479", "SAR", "ar_SA"),
    ("SGP", "143464", "SGD", "en_SG"),
    ("SWE", "143456", "SEK", "sv_SE"),
    ("THA", "143475", "THB", "th_TH"),
    ("TUR", "143480", "TRY", "tr_TR"),
    ("TWN", "143470", "TWD", "zh_TW"),
    ("USA", "143441", "USD", "en_US"),
    ("VNM", "143471", "VND", "vi_VN"),
    ("ZAF", "143472", "ZAR", "en_ZA"),
  ]
}
