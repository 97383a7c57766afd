import StoreModel

/// The settings of an app's configuration files that apply to all of its products.
public struct CatalogDefaults: Hashable, Sendable {
  /// The storefront whose currency the prices are in. Prices of other storefronts are converted from it.
  public var storefront: Territory
  /// The locale of product texts for storefronts without texts in their language, such as `en_US`.
  public var locale: String?

  public init(storefront: Territory = .usa, locale: String? = nil) {
    self.storefront = storefront
    self.locale = locale
  }

  /// Reads a file's settings. An unknown storefront is replaced by that of the USA.
  public init(_ settings: StoreKitConfiguration.Settings) {
    self.init(
      storefront: settings.storefront.flatMap(Territory.init(countryCode:)) ?? .usa, locale: settings.locale)
  }
}
