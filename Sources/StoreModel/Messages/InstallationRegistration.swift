import Foundation

/// The properties of an installation, sent when it registers. Registering again updates only the app's version.
public struct InstallationRegistration: Hashable, Codable, Sendable {
  public let installationID: InstallationID
  public let bundleID: BundleID
  public let environment: StoreEnvironment
  /// The device's `identifierForVendor`. Receipts are bound to it.
  public let deviceID: UUID
  public let applicationVersion: String

  public init(
    installationID: InstallationID, bundleID: BundleID, environment: StoreEnvironment, deviceID: UUID,
    applicationVersion: String
  ) {
    self.installationID = installationID
    self.bundleID = bundleID
    self.environment = environment
    self.deviceID = deviceID
    self.applicationVersion = applicationVersion
  }
}

/// What a person can set on a device, set from outside for one installation. Nil members leave it to the device.
public struct InstallationSettings: Hashable, Codable, Sendable {
  /// Whether purchases are restricted.
  public var isRestricted: Bool?
  /// Whether the device has no network. It still receives its settings.
  public var isOffline: Bool?

  public init(isRestricted: Bool? = nil, isOffline: Bool? = nil) {
    self.isRestricted = isRestricted
    self.isOffline = isOffline
  }
}

/// The store's answer to a registration.
public struct StoreGreeting: Hashable, Codable, Sendable {
  public let epoch: StoreEpoch
  /// The root certificate of every signed transaction of this store, as DER.
  public let rootCertificate: Data
  /// The root certificate of every receipt of this store, as DER.
  public let receiptRootCertificate: Data
  /// The account that is signed in on this installation; nil if there is none.
  public let account: AccountName?
  public let storefrontCountryCode: String
  /// The cursor with which an installation starts when it registers for the first time in this epoch.
  public let changeCursor: ChangeCursor
  /// The settings of the installation that the store's operator has set; nil if there are none.
  public let settings: InstallationSettings?

  public init(
    epoch: StoreEpoch, rootCertificate: Data, receiptRootCertificate: Data, account: AccountName?,
    storefrontCountryCode: String, changeCursor: ChangeCursor, settings: InstallationSettings? = nil
  ) {
    self.epoch = epoch
    self.rootCertificate = rootCertificate
    self.receiptRootCertificate = receiptRootCertificate
    self.account = account
    self.storefrontCountryCode = storefrontCountryCode
    self.changeCursor = changeCursor
    self.settings = settings
  }
}
