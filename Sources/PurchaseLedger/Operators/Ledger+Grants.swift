import StoreModel

/// What an operator gives.
public enum OperatorGrant: Hashable, Sendable {
  /// More than 0 to give, less than 0 to take.
  case credits(CreditUnit, Int64)
  /// A product that lasts; nil for ever.
  case product(ProductID, accessUntil: StoreDate?)
}

extension Ledger {
  /// Gives a customer something that was not bought, and says so in the audit log. The same key again gives nothing
  /// more.
  ///
  /// - Parameters:
  ///   - key: names the grant among those of the customer; 1 to 200 bytes.
  ///   - reason: for the audit log.
  /// - Throws: ``LedgerError``: `insufficientCredits` where more would be taken than there is, `keyReused`,
  ///   `unknownProduct`, `unknownCustomer`.
  public func grant(
    _ grant: OperatorGrant, to customer: CustomerID, app: BundleID, key: String, reason: String,
    by operatorName: String
  ) async throws {
    _ = try settings(of: app)
    try Self.check(key: key)
    let (now, delivery) = (clock.now, makeUUID())
    let entry = audit(operatorName, "grant", subject: "\(customer)", "\(grant) in \(app), key \(key): \(reason)")
    try await database.write(locking: [.customer(customer)]) { transaction in
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
        // A purchase's source is digits alone.
        let source = "grant:\(key)"
        if let known = try transaction.entitlements(of: customer, app: app).first(where: { $0.source == source }) {
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

  /// Takes a product back, whatever it came from, for good: redeeming the same purchase again does not bring it back.
  ///
  /// - Parameter source: the entitlement's.
  /// - Returns: whether there was anything to take.
  @discardableResult
  public func revoke(
    _ product: ProductID, source: String, from customer: CustomerID, app: BundleID, reason: String,
    by operatorName: String
  ) async throws -> Bool {
    _ = try settings(of: app)
    let now = clock.now
    let entry = audit(
      operatorName, "revoke", subject: "\(customer)", "\(product) (\(source)) in \(app): \(reason)")
    return try await database.write(locking: [.customer(customer)]) { transaction in
      let wasThere = try transaction.endEntitlement(
        of: customer, app: app, product: product, source: source, .revoked, now)
      guard wasThere else { return false }
      try transaction.endDeliveries(of: customer, app: app, source: source, now)
      try transaction.record(entry)
      return true
    }
  }

  /// Lets a customer spend again after a refund had blocked it.
  ///
  /// - Returns: whether it was blocked.
  @discardableResult
  public func liftBlock(
    of unit: CreditUnit, customer: CustomerID, app: BundleID, reason: String, by operatorName: String
  ) async throws -> Bool {
    _ = try settings(of: app)
    let entry = audit(operatorName, "liftBlock", subject: "\(customer)", "\(unit) in \(app): \(reason)")
    return try await database.write(locking: [.customer(customer)]) { transaction in
      try transaction.execute(
        "UPDATE claim SET blocks = 0 WHERE customer = $1 AND app = $2 AND unit = $3 AND blocks = 1", customer, app, unit
      )
      let wasBlocked = try transaction.unblockSpending(CreditAccount(customer: customer, app: app, unit: unit))
      if wasBlocked { try transaction.record(entry) }
      return wasBlocked
    }
  }
}
