import Foundation

/// What an installation says of itself at first contact. Registering again changes nothing but the version.
public struct InstallationRegistration: Hashable, Codable, Sendable {
  public let installationID: InstallationID
  public let bundleID: BundleID
  public let environment: StoreEnvironment
  /// The device's `identifierForVendor`; receipts are bound to it.
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
