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
