import GRDB
import StoreModel

/// A product of an app's catalog.
struct ProductRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "product"

  let bundleID: BundleID
  let productID: ProductID
  let position: Int
  var definition: ProductDefinition
  /// Whether it is for sale. One that is not is unknown to apps, and keeps its place in the catalog.
  var isOnSale = true

  static func find(_ product: ProductID, of app: BundleID, in database: Database) throws -> ProductRow? {
    try lookUp(["bundleID": app.rawValue, "productID": product.rawValue], in: database)
  }

  /// The product as it is sold; nil where it is not.
  static func definition(_ product: ProductID, of app: BundleID, in database: Database) throws -> ProductDefinition? {
    guard let row = try find(product, of: app, in: database), row.isOnSale else { return nil }
    return row.definition
  }
}
