import Foundation
import GRDB
import StoreModel

/// A row of `massExtension`: an extension of the renewal dates of all active subscribers of a product.
struct MassExtensionRow: Codable, FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "massExtension"

  var number: Int64?
  let environment: StoreEnvironment
  let bundleID: BundleID
  let requestIdentifier: String
  let productID: ProductID
  let days: Int
  let reason: Int
  /// JSON; nil for all storefronts.
  let storefronts: String?
  let date: StoreDate
  /// The date at which the next subscription is extended; nil when all are.
  var dueDate: StoreDate?
  /// The `originalTransactionID` of the last subscription that was looked at.
  var cursor = ""
  var succeededCount: Int64 = 0
  var failedCount: Int64 = 0
  var completeDate: StoreDate?

  mutating func didInsert(_ inserted: InsertionSuccess) { number = inserted.rowID }

  /// The alpha-3 codes of ``storefronts``.
  func storefrontCountryCodes() throws -> [String]? {
    try storefronts.map { try JSONDecoder().decode([String].self, from: Data($0.utf8)) }
  }
}
