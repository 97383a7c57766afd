import Foundation
import SignedData
import StoreModel

extension TransactionReader {
  /// - Parameters:
  ///   - anchors: the trusted root certificates, read each time; nil while they are not known. `.apple`, or on Linux
  ///     `StoreKitDevice.current?.transactionAnchors`.
  ///   - bundleID: the app of the transactions.
  ///   - device: the device of the transactions: `AppStore.deviceVerificationID`.
  ///   - environments: the accepted environments.
  public init(
    anchors: @autoclosure @escaping @Sendable () -> TrustAnchors?, bundleID: BundleID, device: DeviceIdentifier,
    environments: Set<StoreEnvironment>
  ) {
    self.init(calls: .standard, anchors: anchors, bundleID: bundleID, device: device, environments: environments)
  }

  package init(
    calls: StoreKit2Calls, anchors: @escaping @Sendable () -> TrustAnchors?, bundleID: BundleID,
    device: DeviceIdentifier, environments: Set<StoreEnvironment>
  ) {
    self.init(
      stored: { await calls.stored }, anchors: anchors, bundleID: bundleID, device: device, environments: environments)
  }
}
