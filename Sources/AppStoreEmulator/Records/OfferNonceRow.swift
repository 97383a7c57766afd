import GRDB
import StoreModel

/// The nonce of a promotional offer that was bought. Its signature cannot be used again.
struct OfferNonceRow: Codable, FetchableRecord, TableRecord {
  static let databaseTableName = "offerNonce"

  let bundleID: BundleID
  /// In lower case.
  let nonce: String
}
