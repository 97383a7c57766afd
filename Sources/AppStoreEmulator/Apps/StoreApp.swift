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
  /// The language of product texts where a configuration file chose one.
  public let catalogLocale: String?
}
