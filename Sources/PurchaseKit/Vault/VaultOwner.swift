import Foundation
import SignedData
import StoreModel

/// Whose vault it is: one app on one device. A vault is good for nobody else.
public struct VaultOwner: Hashable, Sendable {
  public let bundleID: BundleID
  /// Stays the same when the app is removed and installed again. `identifierForVendor` does so only while another app of the
  /// vendor is on the device: otherwise keep a UUID of your own in the Keychain, where the key is too.
  public let deviceIdentifier: DeviceIdentifier

  public init(bundleID: BundleID, deviceIdentifier: DeviceIdentifier) {
    self.bundleID = bundleID
    self.deviceIdentifier = deviceIdentifier
  }
}
