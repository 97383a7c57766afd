import Foundation
import GRDB
import StoreModel

/// One installation of an app on one device, as the store has registered it.
public struct Installation: Hashable, Codable, Sendable, FetchableRecord, PersistableRecord {
  public static let databaseTableName = "installation"

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
  private var isRestricted: Bool?
  private var isOffline: Bool?

  init(
    installationID: InstallationID, bundleID: BundleID, environment: StoreEnvironment, deviceID: String,
    applicationVersion: String, originalApplicationVersion: String, account: AccountName?, registrationDate: StoreDate
  ) {
    self.installationID = installationID
    self.bundleID = bundleID
    self.environment = environment
    self.deviceID = deviceID
    self.applicationVersion = applicationVersion
    self.originalApplicationVersion = originalApplicationVersion
    self.account = account
    self.registrationDate = registrationDate
  }

  /// The settings that the control API has set for the device.
  public internal(set) var settings: InstallationSettings {
    get { InstallationSettings(isRestricted: isRestricted, isOffline: isOffline) }
    set { (isRestricted, isOffline) = (newValue.isRestricted, newValue.isOffline) }
  }
}
