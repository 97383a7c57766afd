import GRDB
import StoreModel

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
