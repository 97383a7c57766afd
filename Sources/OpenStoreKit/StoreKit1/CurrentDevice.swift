import Foundation
import StoreModel

extension StoreKitDevice {
  /// The device of `SKPaymentQueue.default()`, product requests and `Bundle.main.appStoreReceiptURL`.
  ///
  /// Set it before the app's first call of StoreKit. If it is not set, the first call makes it from the environment
  /// variables. It is nil if the device cannot be made; the app's call then reports the reason.
  public static var current: StoreKitDevice? {
    get { try? resolved() }
    set {
      device.value = newValue
      guard let newValue else { return }
      SKPaymentQueue.moveObservers(to: newValue.paymentQueue)
      newValue.takeOverUpdates()
    }
  }

  /// The current device. It is made from the environment variables if necessary.
  ///
  /// - Throws: ``StoreKitDeviceError`` if a setting is missing, is invalid or does not match the folder;
  ///   `DurableSQLiteError` if the folder cannot be opened.
  static func resolved() throws -> StoreKitDevice {
    let (device, isNew) = try device.withLock { device in
      if let device { return (device, false) }
      let made = try StoreKitDevice(DeviceSettings(ProcessInfo.processInfo.environment))
      device = made
      return (made, true)
    }
    if isNew { device.takeOverUpdates() }
    return device
  }

  /// The current device, for functions of StoreKit that cannot throw. If it cannot be made, writes the reason to standard
  /// error, once in a process.
  static func currentOrReport() -> StoreKitDevice? {
    do {
      return try resolved()
    } catch {
      let isFirst = hasReportedMissing.withLock { hasReported in
        defer { hasReported = true }
        return !hasReported
      }
      if isFirst { writeToStandardError(.misuse("\(error)")) }
      return nil
    }
  }

  private static let hasReportedMissing = LockedValue(false)

  /// Whether this is the current device. Unlike ``current``, it makes no device.
  package var isCurrent: Bool { Self.device.withLock { $0 === self } }

  /// If this is the current device, removes it. The process then has no current device.
  package func stopBeingCurrent() {
    Self.device.withLock { if $0 === self { $0 = nil } }
  }

  private static let device = LockedValue<StoreKitDevice?>(nil)
}
