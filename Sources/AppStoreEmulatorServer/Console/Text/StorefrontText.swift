import Foundation
import StoreModel

/// Storefronts as text.
enum StorefrontText {
  /// The country, its code and its currency: `Germany (DEU, EUR)`.
  static func title(_ storefront: Territory) -> String {
    "\(country(storefront)) (\(storefront.countryCode), \(storefront.currency))"
  }

  static func title(_ countryCode: String) -> String { Territory(countryCode: countryCode).map(title) ?? countryCode }

  /// All storefronts, ordered by the names of their countries, so that a browser's list finds a typed name.
  static let all: [Territory] = Territory.all.sorted {
    country($0).compare(country($1), options: .diacriticInsensitive, locale: Locale(identifier: "en_US"))
      == .orderedAscending
  }

  static func country(_ storefront: Territory) -> String { names[storefront.countryCode] ?? storefront.countryCode }

  /// Computed once, because it takes longer than the rest of a page.
  private static let names: [String: String] = Territory.all.reduce(into: [:]) { names, storefront in
    names[storefront.countryCode] = Locale(identifier: "en_US").localizedString(forRegionCode: storefront.regionCode)
  }
}

/// The rate of the store's clock as text.
enum Rate {
  static func text(_ rate: Double) -> String {
    rate == 0 ? "stands still" : rate == 1 ? "as fast as time" : "\(field(rate)) times as fast as time"
  }

  /// The rate for a form field.
  static func field(_ rate: Double) -> String { rate == rate.rounded() ? "\(Int(rate))" : "\(rate)" }
}

/// Numbers in drawings, with two decimals.
enum SVGNumber {
  static func text(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
