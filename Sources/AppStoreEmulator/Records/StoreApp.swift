import Foundation
import GRDB
import StoreModel

/// An app in the store, with the values that its developer's server needs.
public struct StoreApp: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public static let databaseTableName = "app"

  public let bundleID: BundleID
  /// The app's Apple ID: the number that identifies it in the App Store.
  public let appAppleID: Int64
  /// 32 hexadecimal digits: the `password` in requests to `verifyReceipt`.
  public let sharedSecret: String
  /// A UUID: the issuer of tokens for the App Store Server API.
  public let issuerID: String
  /// The locale of product texts for storefronts without texts in their language; nil if the configuration files
  /// contain none.
  public let catalogLocale: String?
  /// The storefront whose currency the catalog's prices are in, as an alpha-3 country code.
  public let catalogStorefront: String
  /// How the app's subscriptions renew; nil for real time without a grace period.
  public var renewalRules: RenewalRules?
  /// The key that verifies promotional offers; nil if the configuration files contain no key.
  public let offerKey: OfferKey?
  /// See ``notificationURLs``.
  var productionNotificationURL: String?
  var sandboxNotificationURL: String?

  /// A key that verifies the signatures of promotional offers.
  public struct OfferKey: Hashable, Codable, Sendable {
    /// The key identifier that signatures contain.
    public let id: String
    /// The P-256 public key, X9.63.
    public let publicKey: Data
  }

  /// The settings that apply to the prices and texts of all products.
  public var catalogDefaults: CatalogDefaults {
    CatalogDefaults(storefront: Territory(countryCode: catalogStorefront) ?? .usa, locale: catalogLocale)
  }
}

/// A product of an app's catalog.
struct ProductRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "product"

  let bundleID: BundleID
  let productID: ProductID
  let position: Int
  var definition: ProductDefinition
  /// Whether it is for sale. Apps cannot find a product that is not on sale, but it stays in the catalog.
  var isOnSale = true
}
