import StoreModel

/// What the caller insists on, beyond a good signature. Whatever is nil is not checked.
///
/// A server should name at least the bundle id and the environments it sells in: genuine data of another app, or of
/// the sandbox, passes every other check.
public struct Expectation: Hashable, Sendable {
  /// The app the data must be for; nil accepts any.
  public var bundleID: BundleID?
  /// The environments it may come from; nil accepts any, also one this module does not know.
  public var environments: Set<StoreEnvironment>?
  /// The device it must be issued to; nil accepts any.
  public var device: DeviceIdentifier?

  /// - Parameters:
  ///   - bundleID: the app the data must be for; nil accepts any.
  ///   - environments: where it may come from; nil accepts any.
  ///   - device: the device it must be issued to; nil accepts any.
  public init(
    bundleID: BundleID? = nil, environments: Set<StoreEnvironment>? = nil, device: DeviceIdentifier? = nil
  ) {
    self.bundleID = bundleID
    self.environments = environments
    self.device = device
  }
}

extension Expectation {
  /// Checks bundle, environment and device, in this order.
  ///
  /// - Parameters:
  ///   - rawEnvironment: the environment as the data spells it, for the message.
  ///   - isIssued: whether the data was issued to the device; asked only if one is expected.
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
