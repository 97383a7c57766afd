import Foundation
import GRDB
import StoreModel

/// A key for the tokens of the App Store Server API ("In-App Purchase key"). Its private part is not stored.
struct APIKeyRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "apiKey"

  /// `kid` in a token.
  let keyID: String
  /// `iss` in a token.
  let issuerID: String
  /// The P-256 public key, X9.63.
  let publicKey: Data
  let date: StoreDate
}
