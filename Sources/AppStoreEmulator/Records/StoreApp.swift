import GRDB
import StoreModel

/// An app in the store, with what its developer's server needs to talk to the store.
public struct StoreApp: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public static let databaseTableName = "app"

  public let bundleID: BundleID
  /// The App Store's number for the app.
  public let appAppleID: Int64
  /// 32 hexadecimal digits: the `password` of `verifyReceipt`.
  public let sharedSecret: String
  /// A UUID: who issues tokens for the App Store Server API.
  public let issuerID: String
  /// The locale of product texts for storefronts in whose language there are none, where a configuration file names one.
  public let catalogLocale: String?
  /// The storefront whose currency the catalog's prices are in, as an alpha-3 country code.
  public let catalogStorefront: String

  /// What decides the prices and texts of all products.
  public var catalogDefaults: CatalogDefaults {
    CatalogDefaults(storefront: Storefront(countryCode: catalogStorefront) ?? .usa, locale: catalogLocale)
  }
}
