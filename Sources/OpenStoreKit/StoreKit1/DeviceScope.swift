import StoreModel

/// Where the functions of StoreKit find the device that they work on, and what an app has made before there was one.
///
/// The process has one. A test with a store of its own (the trait `isolatedStore` of StoreKitTest) has another one, for its
/// task and the tasks that it begins. Documentation/storekittest.md, "Isolation", has the rules.
package final class DeviceScope: Sendable {
  /// The scope of the task's test; nil if the test has none, or the task does not belong to it.
  @TaskLocal package static var isolated: DeviceScope?

  static let process = DeviceScope()

  private struct Isolation: Sendable {
    var count = 0
    var reportLoss: (@Sendable (String) -> Void)?
  }

  private static let isolation = LockedValue(Isolation())

  let device = LockedValue<StoreKitDevice?>(nil)
  /// What test sessions keep here: the store of this scope.
  package let attachment = LockedValue<(any AnyObject & Sendable)?>(nil)
  /// The iterators of StoreKit 2's endless sequences that were made before there was a device.
  let updates = UpdateRegistry()
  /// The shared queue while there is no device. It is always the same object, because observers are attached to it.
  let queue = LockedValue<SKPaymentQueue?>(nil)

  private init() {}

  /// Makes the scope of a test. Until ``endIsolation()``, calls outside of all scopes fail.
  ///
  /// - Parameter reportLoss: called when a call is made outside of all scopes.
  package static func beginIsolation(reportLoss: @escaping @Sendable (String) -> Void) -> DeviceScope {
    isolation.withLock { isolation in
      isolation.count += 1
      isolation.reportLoss = reportLoss
    }
    return DeviceScope()
  }

  /// Ends the scope, and releases its device.
  package func endIsolation() {
    Self.isolation.withLock { $0.count -= 1 }
    updates.close()
    device.value = nil
    attachment.value = nil
  }

  /// The scope of the calling task.
  ///
  /// - Throws: ``StoreKitDeviceError/isolationLost`` if the task belongs to no test with a store of its own, while there are
  ///   such tests: it may have been begun by one of them.
  package static func current() throws -> DeviceScope {
    if let isolated { return isolated }
    let isolation = isolation.value
    guard isolation.count > 0 else { return process }
    let error = StoreKitDeviceError.isolationLost
    isolation.reportLoss?("\(error)")
    throw error
  }

  /// Calls `body` in a scope, such as an observer in the scope in which it was attached.
  static func run<Value>(in scope: DeviceScope?, _ body: () throws -> Value) rethrows -> Value {
    guard let scope else { return try body() }
    return try $isolated.withValue(scope) { try body() }
  }
}
