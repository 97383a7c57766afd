import GRDB
import StoreModel

/// A product of an app's catalog.
struct ProductRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "product"

  let bundleID: BundleID
  let productID: ProductID
  let position: Int
  let definition: ProductDefinition

  static func definition(_ product: ProductID, of app: BundleID, in database: Database) throws -> ProductDefinition? {
    try lookUp(["bundleID": app.rawValue, "productID": product.rawValue], in: database)?.definition
  }
}
