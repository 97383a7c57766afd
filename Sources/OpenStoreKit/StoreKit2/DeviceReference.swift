import StoreModel

/// The device that a value of StoreKit comes from, held weakly, so that a value which an app keeps does not keep a device
/// open.
///
/// All references are equal: a value's device is not a part of the value.
struct DeviceReference: Hashable, Sendable {
  private weak var origin: StoreKitDevice?

  init(_ device: StoreKitDevice?) { origin = device }

  /// The device that the value comes from, or the current one; nil if there is neither.
  var device: StoreKitDevice? { origin ?? StoreKitDevice.currentOrReport() }

  /// As ``device``.
  ///
  /// - Throws: ``StoreKitError/systemError(_:)`` if there is none.
  func resolved() throws -> StoreKitDevice { try origin ?? StoreKitDevice.orSystemError() }

  static func == (left: DeviceReference, right: DeviceReference) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
