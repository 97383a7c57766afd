import StoreModel

/// What the settings of an app's configuration files decide for all of its products.
public struct CatalogDefaults: Hashable, Sendable {
  /// The storefront whose currency the prices are in. Other storefronts' prices are converted from it.
  public var storefront: Storefront
  /// The locale of the texts for storefronts in whose language a product has none, such as `en_US`.
  public var locale: String?

  public init(storefront: Storefront = .usa, locale: String? = nil) {
    self.storefront = storefront
    self.locale = locale
  }

  /// As a file's settings say. A storefront that is not known counts as that of the USA.
  public init(_ settings: StoreKitConfiguration.Settings) {
    self.init(
      storefront: settings.storefront.flatMap(Storefront.init(countryCode:)) ?? .usa, locale: settings.locale)
  }
}
