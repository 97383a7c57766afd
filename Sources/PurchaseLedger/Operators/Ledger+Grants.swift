import StoreModel

/// What an operator gives to a customer.
public enum OperatorGrant: Hashable, Sendable {
  /// Credits. A positive amount gives them, a negative amount removes them.
  case credits(CreditUnit, Int64)
  /// Access to a non-consumable or subscription until a date; nil for unlimited access.
  case product(ProductID, accessUntil: StoreDate?)

  /// What is given, for the audit log.
  fileprivate var detail: String {
    switch self {
    case .credits(let unit, let amount): "\(amount) \(unit.rawValue)"
    case .product(let product, let end): "\(product.rawValue)\(end.map { " until \($0)" } ?? "")"
    }
  }
}

extension Ledger {
  /// Gives a customer something that was not bought, and records it in the audit log. A repeated call with the same key changes
  /// nothing.
  ///
  /// - Parameters:
  ///   - key: identifies the grant among the customer's grants; 1 to 200 bytes.
  ///   - reason: recorded in the audit log.
  /// - Throws: ``LedgerError``: `insufficientCredits` if the balance is smaller than the removed amount; `keyReused`,
  ///   `unknownProduct`, `unknownCustomer`.
  public func grant(
    _ grant: OperatorGrant, to customer: CustomerID, app: BundleID, key: String, reason: String,
    by operatorName: String
  ) async throws {
    _ = try settings(of: app)
    try Self.check(key: key)
    let (now, delivery) = (clock.now, makeUUID())
    let entry = audit(
      operatorName, "grant", subject: "\(customer)", "\(grant.detail) in \(app), key \(key)", reason: reason)
    try await database.write(locking: [.customer(customer)]) { transaction in
      transaction.change = LedgerChange(date: now, cause: .operator)
      _ = try transaction.expect(customer)
      switch grant {
      case .credits(let unit, let amount):
        guard (1...CreditAmount.largest).contains(amount) || (-CreditAmount.largest ... -1).contains(amount) else {
          throw LedgerError.amountOutOfRange(amount)
        }
        let account = CreditAccount(customer: customer, app: app, unit: unit)
        if let known = try transaction.movement(of: account, .grant, key: key) {
          guard known.amount == amount else { throw LedgerError.keyReused(key) }
          return
        }
        let balance = try transaction.balance(of: account).balance
        guard amount > 0 || balance >= -amount else {
          throw LedgerError.insufficientCredits(balance: balance, requested: -amount)
        }
        _ = try transaction.move(amount, account, .grant, key: key, now)
      case .product(let product, let accessUntil):
        guard let known = try transaction.product(product, app: app) else { throw LedgerError.unknownProduct(product) }
        guard known.type.lasts else {
          throw LedgerError.invalid("\(product) is a consumable; give credits instead.")
        }
        // The source of a purchase contains only digits, so it never equals the source of a grant.
        let source = "grant:\(key)"
        if let known = try transaction.entitlement(of: customer, app: app, source: source) {
          guard known.product == product, known.accessUntil == accessUntil else { throw LedgerError.keyReused(key) }
          return
        }
        try transaction.entitle(
          customer, app: app, product: product, source: source, origin: .granted, begun: now, accessUntil: accessUntil)
        if try transaction.contentVersion(of: product, app: app) ?? 0 > 0 {
          _ = try transaction.deliver(product, app: app, source: source, to: customer, id: delivery, now)
        }
      }
      try transaction.record(entry)
    }
  }

  /// Revokes an entitlement permanently, whatever its origin. Redeeming the same purchase again does not restore it.
  ///
  /// - Parameter source: the source of the entitlement.
  /// - Returns: whether the entitlement existed and had not ended.
  @discardableResult
  public func revoke(
    _ product: ProductID, source: String, from customer: CustomerID, app: BundleID, reason: String,
    by operatorName: String
  ) async throws -> Bool {
    _ = try settings(of: app)
    let now = clock.now
    let entry = audit(
      operatorName, "revoke", subject: "\(customer)", "\(product) (\(source)) in \(app)", reason: reason)
    return try await database.write(locking: [.customer(customer)]) { transaction in
      transaction.change = LedgerChange(date: now, cause: .operator)
      let wasThere = try transaction.endEntitlement(
        of: customer, app: app, product: product, source: source, .revoked, now)
      guard wasThere else { return false }
      try transaction.schedulePasses(after: source, of: customer, app: app)
      try transaction.endDeliveries(of: customer, app: app, source: source, now)
      try transaction.record(entry)
      return true
    }
  }

  /// Lets a customer spend again after a refund had blocked spending.
  ///
  /// - Returns: whether spending was blocked.
  @discardableResult
  public func liftBlock(
    of unit: CreditUnit, customer: CustomerID, app: BundleID, reason: String, by operatorName: String
  ) async throws -> Bool {
    _ = try settings(of: app)
    let now = clock.now
    let entry = audit(operatorName, "liftBlock", subject: "\(customer)", "\(unit) in \(app)", reason: reason)
    return try await database.write(locking: [.customer(customer)]) { transaction in
      transaction.change = LedgerChange(date: now, cause: .operator)
      try transaction.execute(
        "UPDATE claim SET blocks = 0 WHERE customer = $1 AND app = $2 AND unit = $3 AND blocks = 1", customer, app, unit
      )
      let wasBlocked = try transaction.unblockSpending(CreditAccount(customer: customer, app: app, unit: unit))
      if wasBlocked { try transaction.record(entry) }
      return wasBlocked
    }
  }
}
