import GRDB
import StoreModel

extension EmulatedAppStore {
  /// Sets a fault. It applies to requests that arrive from now on.
  ///
  /// - Throws: ``AppStoreEmulatorError/impossibleFault(_:)``, ``AppStoreEmulatorError/faultExists(_:)`` or
  ///   ``AppStoreEmulatorError/tooManyFaults``. The faults are then unchanged.
  @discardableResult
  public func set(_ fault: Fault) throws(AppStoreEmulatorError) -> FaultReport {
    try faultRegistry.set(fault, now: clock.now)
  }

  /// Returns what `scope` names that the store does not have, one sentence each. The fault strikes no request until it is made
  /// or registered.
  package func warnings(about scope: FaultScope) async throws -> [String] {
    // Each finds its rows by the keys of its table.
    let environments = (scope.environment.map { [$0] } ?? StoreEnvironment.allCases).map { "'\($0.rawValue)'" }
      .joined(separator: ", ")
    let (customer, bundleID) = (scope.customer?.rawValue, scope.bundleID?.rawValue)
    let (product, installation) = (scope.productID?.rawValue, scope.installationID?.rawValue)
    let apps = bundleID == nil ? "SELECT bundleID FROM app" : "?"
    let names: [(name: String?, what: String, sql: String, arguments: StatementArguments)] = [
      (customer, "customer", "customer WHERE environment IN (\(environments)) AND name = ?", [customer]),
      (bundleID, "app", "app WHERE bundleID = ?", [bundleID]),
      (
        product, "product", "product WHERE bundleID IN (\(apps)) AND productID = ?",
        bundleID == nil ? [product] : [bundleID, product]
      ),
      (installation, "installation", "installation WHERE installationID = ?", [installation]),
    ]
    return try await database.read { work in
      try names.compactMap { name, what, sql, arguments in
        guard let name else { return nil }
        let isKnown = try Bool.fetchOne(
          work.database, sql: "SELECT EXISTS (SELECT 1 FROM \(sql))", arguments: arguments)
        return isKnown == true
          ? nil : "There is no \(what) \(name) here yet. The fault strikes no request until there is."
      }
    }
  }

  /// The faults, in the order in which they were set. If several faults match a request, only the first of them
  /// applies.
  public func faults() -> [FaultReport] { faultRegistry.reports(now: clock.now) }

  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)``.
  public func fault(_ id: FaultID) throws(AppStoreEmulatorError) -> FaultReport {
    try faultRegistry.report(id, now: clock.now)
  }

  /// Removes a fault, and releases the requests that it holds.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)``.
  public func removeFault(_ id: FaultID) throws(AppStoreEmulatorError) {
    try faultRegistry.remove(id)
    database.notificationChanges.notify()
  }

  /// Removes all faults, releases the requests that they hold, and returns the number of faults.
  @discardableResult
  public func removeFaults() -> Int {
    defer { database.notificationChanges.notify() }
    return faultRegistry.removeAll()
  }

  /// Releases the requests that a fault holds now. Later requests are held again.
  ///
  /// - Returns: the number of released requests.
  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)``.
  @discardableResult
  public func releaseFault(_ id: FaultID) throws(AppStoreEmulatorError) -> Int { try faultRegistry.release(id) }

  /// Returns when a fault holds at least `number` requests. So a test can check the records while a request waits.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownFault(_:)`` if there is no such fault, or it is removed during the wait;
  ///   `CancellationError`.
  public func untilFault(_ id: FaultID, holds number: Int = 1) async throws {
    try await faultRegistry.untilHolding(id, number: number)
  }
}
