import Foundation
import StoreModel

/// Storefronts as text.
enum StorefrontText {
  /// The country, its code and its currency: `Germany (DEU, EUR)`.
  static func title(_ storefront: Storefront) -> String {
    "\(country(storefront)) (\(storefront.countryCode), \(storefront.currency))"
  }

  static func title(_ countryCode: String) -> String { Storefront(countryCode: countryCode).map(title) ?? countryCode }

  static func country(_ storefront: Storefront) -> String { names[storefront.countryCode] ?? storefront.countryCode }

  /// Computed once, because it takes longer than the rest of a page.
  private static let names: [String: String] = Storefront.all.reduce(into: [:]) { names, storefront in
    let region = storefront.localeIdentifier.suffix(2)
    names[storefront.countryCode] = Locale(identifier: "en_US").localizedString(forRegionCode: String(region))
  }
}
