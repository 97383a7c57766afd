import StoreModel

extension Ledger {
  /// Returns a customer's balance in each unit that the customer ever had credits of.
  public func creditBalances(of customer: CustomerID, app: BundleID) async throws -> CreditBalances {
    _ = try settings(of: app)
    return try await database.read { try $0.creditBalances(of: customer, app: app) }
  }

  /// Returns a page of an account's movements, newest first.
  ///
  /// - Parameters:
  ///   - before: the sequence number of the previous page's last movement; nil for the first page.
  ///   - limit: 1 to 1,000.
  public func creditMovements(
    of customer: CustomerID, app: BundleID, unit: CreditUnit, before: Int64? = nil, limit: Int = 100
  ) async throws -> [CreditMovement] {
    _ = try settings(of: app)
    guard (1...1000).contains(limit) else { throw LedgerError.invalid("A page has 1 to 1,000 movements.") }
    return try await database.read { transaction in
      try transaction.rows(
        """
        SELECT sequence, amount, balance, counter_account, cause, cause_key, date FROM credit_movement
        WHERE customer = $1 AND app = $2 AND unit = $3 AND sequence < $4 ORDER BY sequence DESC LIMIT $5
        """, customer, app, unit, before ?? Int64.max, limit
      ).map(CreditMovement.init)
    }
  }

  /// Spends credits: the whole amount or nothing. A repeated call with the same key and amount returns the first spend.
  ///
  /// - Parameters:
  ///   - amount: 1 to 10¹².
  ///   - key: identifies this spend among the customer's spends; 1 to 200 bytes.
  /// - Throws: ``LedgerError/insufficientCredits(balance:requested:)``, ``LedgerError/spendingBlocked``,
  ///   ``LedgerError/keyReused(_:)``, ``LedgerError/amountOutOfRange(_:)``.
  public func spend(
    _ amount: Int64, of unit: CreditUnit, key: String, customer: CustomerID, app: BundleID
  ) async throws -> CreditSpend {
    _ = try settings(of: app)
    guard (1...CreditAmount.largest).contains(amount) else { throw LedgerError.amountOutOfRange(amount) }
    try Self.check(key: key)
    let (account, now) = (CreditAccount(customer: customer, app: app, unit: unit), clock.now)
    return try await database.writeShared(locking: [.customer(customer)], about: []) { transaction in
      transaction.change = LedgerChange(date: now)
      // Requested together. The customer's lock is held, so that no other spend comes between these and the movement.
      let recorded = try transaction.movementLater(of: account, .spend, key: key)
      let incarnation = try transaction.later(LedgerIncarnation.query)
      let (status, balance) = (try transaction.statusLater(of: customer), try transaction.balanceLater(of: account))
      if let known = try recorded.row.map(CreditMovement.init) {
        guard known.amount == -amount else { throw LedgerError.keyReused(key) }
        return CreditSpend(incarnation: try LedgerIncarnation(incarnation.row), movement: known)
      }
      _ = try transaction.expect(customer, status)
      let current = try balance.row.map(CreditBalance.init) ?? CreditBalance(withoutMovements: unit)
      guard !current.isSpendingBlocked else { throw LedgerError.spendingBlocked }
      guard current.balance >= amount else {
        throw LedgerError.insufficientCredits(balance: current.balance, requested: amount)
      }
      return CreditSpend(
        incarnation: try LedgerIncarnation(incarnation.row),
        movement: try transaction.add(-amount, account, .spend, key: key, now))
    }
  }

  static func check(key: String) throws(LedgerError) {
    guard (1...200).contains(key.utf8.count), !key.contains("\0") else {
      throw .invalid("A key is 1 to 200 bytes of text.")
    }
  }
}
