/// The App Store of one country: its currency, and its languages. "Territory" is App Store Connect's name for it; `Storefront`
/// is a type of StoreKit 2, which has this name alone in an app's code.
///
/// The table has the storefronts of App Store Connect. Currencies are those in which Apple bills each country, so many
/// countries pay in US dollars. Identifiers are those that Apple's stores use.
public struct Territory: Hashable, Sendable {
  /// ISO 3166-1 alpha-3, such as `USA`; `XKS` for Kosovo, which has no ISO code.
  public let countryCode: String
  /// Apple's identifier of the storefront, such as `143441`.
  public let identifier: String
  /// An ISO 4217 code.
  public let currency: String
  /// The locales of the country's languages, such as `de_CH`, `fr_CH` and `it_CH`. Not empty.
  ///
  /// The data is CLDR's "Territory-Language Information". The first is the language that most people there use and that
  /// is official, by law or in practice. The other languages that are official by law follow, the most used first.
  /// Languages of a part of the country, and locales that CLDR has no data for, are left out.
  public let localeIdentifiers: [String]

  /// The locale that formats prices, such as `en_US`: the first of ``localeIdentifiers``.
  public var localeIdentifier: String { localeIdentifiers[0] }

  /// The country's code in locales, such as `US`: ISO 3166-1 alpha-2, or `XK` for Kosovo.
  public var regionCode: String { String(localeIdentifier.suffix(2)) }

  public static let usa = Territory(countryCode: "USA")!

  /// All known storefronts, ordered by country code.
  public static let all: [Territory] = table.split(separator: "\n").map(Territory.init)

  private static let byCountryCode = Dictionary(uniqueKeysWithValues: all.map { ($0.countryCode, $0) })

  /// Nil if the country has no known storefront.
  public init?(countryCode: String) {
    guard let match = Self.byCountryCode[countryCode] else { return nil }
    self = match
  }

  /// Reads a row of ``table``.
  private init(row: Substring) {
    let columns = row.split(separator: " ").map(String.init)
    countryCode = columns[0]
    identifier = columns[1]
    currency = columns[2]
    localeIdentifiers = Array(columns[3...])
  }
}
