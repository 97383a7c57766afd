import Foundation
import GRDB
import StoreModel

/// One installation of an app on one device, as the store knows it.
public struct Installation: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public let installationID: InstallationID
  public let bundleID: BundleID
  public let environment: StoreEnvironment
  /// The device's `identifierForVendor`, as an upper-case UUID.
  public let deviceID: String
  public internal(set) var applicationVersion: String
  /// The version that registered first.
  public let originalApplicationVersion: String
  /// Who is signed in.
  public internal(set) var account: AccountName?
  public let registrationDate: StoreDate
  /// False for one that a restored snapshot knows, until it registers in the new epoch.
  var isRegistered = true
}
