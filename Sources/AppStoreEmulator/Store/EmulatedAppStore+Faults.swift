import StoreModel

extension EmulatedAppStore {
  /// Sets a fault. From now on it strikes.
  ///
  /// - Throws: ``AppStoreEmulatorError/impossibleFault(_:)``, ``AppStoreEmulatorError/faultExists(_:)`` or
  ///   ``AppStoreEmulatorError/tooManyFaults``; nothing is set then.
  @discardableResult
  public func set(_ fault: Fault) throws(AppStoreEmulatorError) -> FaultReport {
    try faultRegistry.set(fault, now: clock.now)
  }

  /// The faults that are set, in that order. Where several are for a request, the first of them strikes.
  public func faults() -> [FaultReport] { faultRegistry.reports(now: clock.now) }

  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)``.
  public func fault(_ id: FaultID) throws(AppStoreEmulatorError) -> FaultReport {
    try faultRegistry.report(id, now: clock.now)
  }

  /// Removes a fault, and lets go what it holds.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)``.
  public func removeFault(_ id: FaultID) throws(AppStoreEmulatorError) { try faultRegistry.remove(id) }

  /// Removes all faults, lets go what they hold, and says how many there were.
  @discardableResult
  public func removeFaults() -> Int { faultRegistry.removeAll() }

  /// Lets go what a fault has held up so far. It goes on holding what comes later.
  ///
  /// - Returns: how many requests were waiting.
  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)``.
  @discardableResult
  public func releaseFault(_ id: FaultID) throws(AppStoreEmulatorError) -> Int { try faultRegistry.release(id) }

  /// Returns when a fault holds at least `number` requests: a test's way to look at the books while a sheet is held.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)`` if it is not set, or removed meanwhile; `CancellationError`.
  public func untilFault(_ id: FaultID, holds number: Int = 1) async throws {
    try await faultRegistry.untilHolding(id, number: number)
  }
}
