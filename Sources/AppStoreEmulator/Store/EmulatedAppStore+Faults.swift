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
    try await database.read { try $0.warnings(about: [scope])[scope] ?? [] }
  }

  /// The faults, in the order in which they were set, each with what its scope names that the store does not have now.
  package func faultsWithWarnings() async throws -> [FaultReport] {
    let reports = faults()
    // Many faults may have one scope.
    let scopes = Set(reports.map(\.fault.scope))
    let warnings = try await database.read { try $0.warnings(about: scopes) }
    return reports.map { report in
      var report = report
      report.warnings = warnings[report.fault.scope].flatMap { $0.isEmpty ? nil : $0 }
      return report
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

extension StoreUnitOfWork {
  /// Returns what each scope names that the store does not have, one sentence each.
  fileprivate func warnings(about scopes: Set<FaultScope>) throws -> [FaultScope: [String]] {
    let products = try productsOfAnyApp(Set(scopes.filter { $0.bundleID == nil }.compactMap(\.productID)))
    var warnings: [FaultScope: [String]] = [:]
    for scope in scopes { warnings[scope] = try self.warnings(about: scope, known: products) }
    return warnings
  }

  /// Returns those of the products that an app sells. One statement for all of them, because it reads the keys of the
  /// whole table: no index begins with the product.
  private func productsOfAnyApp(_ products: Set<ProductID>) throws -> Set<ProductID> {
    guard !products.isEmpty else { return [] }
    let found = try String.fetchAll(
      database,
      sql: """
        SELECT DISTINCT productID FROM product WHERE productID IN (\(databaseQuestionMarks(count: products.count)))
        """, arguments: StatementArguments(products.map(\.rawValue)))
    return Set(found.map { ProductID($0) })
  }

  /// - Parameter products: the products of any app, for a scope that names a product and no app.
  private func warnings(about scope: FaultScope, known products: Set<ProductID>) throws -> [String] {
    // Finds a row by the key of its table.
    func exists(_ row: String, _ key: StatementArguments) throws -> Bool {
      try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM \(row))", arguments: key) ?? false
    }
    var missing: [String] = []
    if let customer = scope.customer {
      let environments = (scope.environment.map { [$0] } ?? StoreEnvironment.allCases).map { "'\($0.rawValue)'" }
        .joined(separator: ", ")
      if try !exists("customer WHERE environment IN (\(environments)) AND name = ?", [customer.rawValue]) {
        missing.append("customer \(customer)")
      }
    }
    if let app = scope.bundleID, try !exists("app WHERE bundleID = ?", [app.rawValue]) { missing.append("app \(app)") }
    if let product = scope.productID {
      let isKnown =
        if let app = scope.bundleID {
          try exists("product WHERE bundleID = ? AND productID = ?", [app.rawValue, product.rawValue])
        } else {
          products.contains(product)
        }
      if !isKnown { missing.append("product \(product)") }
    }
    if let installation = scope.installationID,
      try !exists("installation WHERE installationID = ?", [installation.rawValue])
    {
      missing.append("installation \(installation)")
    }
    return missing.map { "There is no \($0) here yet. The fault strikes no request until there is." }
  }
}
