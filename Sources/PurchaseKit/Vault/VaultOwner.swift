import Foundation
import SignedData
import StoreModel

/// The owner of a vault: one app on one device. A vault cannot be used by another owner.
public struct VaultOwner: Hashable, Sendable {
  public let bundleID: BundleID
  /// The identifier must stay the same when the app is removed and installed again. `identifierForVendor` stays the
  /// same only while another app of the vendor is on the device. Otherwise, store your own UUID in the Keychain, beside
  /// the key.
  public let deviceIdentifier: DeviceIdentifier

  public init(bundleID: BundleID, deviceIdentifier: DeviceIdentifier) {
    self.bundleID = bundleID
    self.deviceIdentifier = deviceIdentifier
  }
}
