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
      let scope = DeviceScope.isolated ?? .process
      scope.device.value = newValue
      guard let newValue else { return }
      newValue.paymentQueue.scope.value = DeviceScope.isolated
      newValue.paymentQueue.takeOverObservers(of: scope)
      newValue.takeOverUpdates(of: scope)
    }
  }

  /// The current device. The one of the process is made from the environment variables if necessary.
  ///
  /// - Throws: ``StoreKitDeviceError`` if a setting is missing, is invalid or does not match the folder, or if the call does
  ///   not belong to the test that has made it; `DurableSQLiteError` if the folder cannot be opened.
  static func resolved() throws -> StoreKitDevice {
    let scope = try DeviceScope.current()
    let (device, isNew) = try scope.device.withLock { device in
      if let device { return (device, false) }
      guard scope === DeviceScope.process else { throw StoreKitDeviceError.noSession }
      let made = try StoreKitDevice(DeviceSettings(ProcessInfo.processInfo.environment))
      device = made
      return (made, true)
    }
    if isNew { device.takeOverUpdates(of: scope) }
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
  package var isCurrent: Bool { (DeviceScope.isolated ?? .process).device.withLock { $0 === self } }

  /// If this is the current device, removes it. The process then has no current device.
  package func stopBeingCurrent() {
    (DeviceScope.isolated ?? .process).device.withLock { if $0 === self { $0 = nil } }
  }
}
