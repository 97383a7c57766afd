import StoreModel

/// The conditions of the caller, in addition to a valid signature. A nil property is not checked.
///
/// A server should set at least the bundle id and the environments in which it sells. Otherwise it accepts genuine data
/// of another app, or of the sandbox.
public struct Expectation: Hashable, Sendable {
  /// The required app; nil accepts all apps.
  public var bundleID: BundleID?
  /// The accepted environments; nil accepts all environments, also unknown ones.
  public var environments: Set<StoreEnvironment>?
  /// The device to which the data must be issued; nil accepts all devices.
  public var device: DeviceIdentifier?

  /// - Parameters:
  ///   - bundleID: the required app; nil accepts all apps.
  ///   - environments: the accepted environments; nil accepts all environments.
  ///   - device: the device to which the data must be issued; nil accepts all devices.
  public init(
    bundleID: BundleID? = nil, environments: Set<StoreEnvironment>? = nil, device: DeviceIdentifier? = nil
  ) {
    self.bundleID = bundleID
    self.environments = environments
    self.device = device
  }
}

extension Expectation {
  /// Checks bundle id, environment and device, in this order.
  ///
  /// - Parameters:
  ///   - rawEnvironment: the environment as written in the data, for the message.
  ///   - isIssued: whether the data was issued to the device. Called only if a device is expected.
  func check(
    bundleID found: BundleID?, environment: StoreEnvironment?, rawEnvironment: String?,
    isIssued: (DeviceIdentifier) -> Bool
  ) throws(VerificationFailure) {
    if let bundleID, found != bundleID {
      let name = found.map { "\($0)" } ?? "no app"
      throw VerificationFailure(fault: .bundle, detail: "it is for \(name.prefix(200)), expected was \(bundleID)")
    }
    if let environments, environment.map(environments.contains) != true {
      let expected = environments.map(\.rawValue).sorted().joined(separator: " or ")
      throw VerificationFailure(
        fault: .environment,
        detail: "it is from the environment \((rawEnvironment ?? "(none)").prefix(80)), expected was \(expected)")
    }
    if let device, !isIssued(device) {
      throw VerificationFailure(
        fault: .device,
        detail: "it was not issued to the device \(device); have that device refresh its receipt and send it again")
    }
  }
}
