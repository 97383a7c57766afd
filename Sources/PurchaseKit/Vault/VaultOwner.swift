import Foundation
import SignedData
import StoreModel

/// Whose vault it is: one app on one device. A vault is good for nobody else.
public struct VaultOwner: Hashable, Sendable {
  public let bundleID: BundleID
  /// `identifierForVendor`, or on a Mac the address of its network interface: what the store binds receipts to.
  public let deviceIdentifier: DeviceIdentifier

  public init(bundleID: BundleID, deviceIdentifier: DeviceIdentifier) {
    self.bundleID = bundleID
    self.deviceIdentifier = deviceIdentifier
  }
}
