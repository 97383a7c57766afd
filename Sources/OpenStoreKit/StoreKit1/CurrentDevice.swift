import Foundation
import StoreModel

extension StoreKitDevice {
  /// The device that `SKPaymentQueue.default()`, product requests and `Bundle.main.appStoreReceiptURL` belong to.
  ///
  /// Assign it before the app's first call into StoreKit. Where nothing was assigned, the first call makes it from
  /// the environment; nil means that this failed, and the call reports why.
  public static var current: StoreKitDevice? {
    get { try? resolved() }
    set {
      device.value = newValue
      if let newValue { SKPaymentQueue.moveObservers(to: newValue.paymentQueue) }
    }
  }

  /// The current device, made from the environment if need be.
  ///
  /// - Throws: ``StoreKitDeviceError`` or `DurableSQLiteError`, saying what to set.
  static func resolved() throws -> StoreKitDevice {
    try device.withLock { device in
      if let device { return device }
      let made = try StoreKitDevice(DeviceSettings(ProcessInfo.processInfo.environment))
      device = made
      return made
    }
  }

  private static let device = LockedValue<StoreKitDevice?>(nil)
}
