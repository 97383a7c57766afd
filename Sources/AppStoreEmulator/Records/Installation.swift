import Foundation
import GRDB
import StoreModel

/// One installation of an app on one device, as the store has registered it.
public struct Installation: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public let installationID: InstallationID
  public let bundleID: BundleID
  public let environment: StoreEnvironment
  /// The device's `identifierForVendor`, as an upper-case UUID.
  public let deviceID: String
  public internal(set) var applicationVersion: String
  /// The app's version at the first registration of the installation.
  public let originalApplicationVersion: String
  /// The customer who is signed in; nil if there is none.
  public internal(set) var account: AccountName?
  public let registrationDate: StoreDate
  /// False after a snapshot was restored, until the installation registers in the new epoch.
  var isRegistered = true
}
