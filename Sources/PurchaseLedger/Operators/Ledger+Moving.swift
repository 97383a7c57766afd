import StoreModel

extension Ledger {
  /// Moves a claim to another customer, and records that in the audit log. Use it for customers who paid, but no longer
  /// have a proof of purchase.
  ///
  /// Later refunds affect the new customer. Consumables cannot be moved. A repeated call changes nothing.
  ///
  /// - Parameters:
  ///   - id: the claim's id, which is the original transaction id.
  ///   - reason: recorded in the audit log.
  /// - Returns: whether this call moved the claim.
  /// - Throws: ``LedgerError``: `unknownClaim`; `unknownCustomer`; `invalid` for consumables, refunded purchases, purchases
  ///   that an operator revoked from the new customer, and sandbox purchases if the new customer is not one of
  ///   ``LedgerSettings/sandboxCustomers``.
  @discardableResult
  public func move(
    _ id: TransactionID, in environment: StoreEnvironment, app: BundleID, to customer: CustomerID, reason: String,
    by operatorName: String
  ) async throws -> Bool {
    let settings = try settings(of: app)
    let (now, delivery) = (clock.now, makeUUID())
    let entry = audit(operatorName, "move", subject: "\(customer)", "\(id) (\(environment)) in \(app)", reason: reason)
    return try await database.write(locking: [.customer(customer)]) { transaction in
      transaction.change = LedgerChange(date: now, cause: .operator)
      let customerStatus = try transaction.expect(customer)
      let key = PurchaseKey(app: app, environment: environment, id: id)
      guard let claim = try transaction.claim(key) else { throw LedgerError.unknownClaim(id) }
      try transaction.require(Set(transaction.locks(on: key, claim.type)))
      guard let status = try transaction.revocationStatus(of: claim, now) else { throw LedgerError.unknownClaim(id) }
      guard claim.customer != customer else { return false }
      guard claim.type.lasts else { throw LedgerError.invalid("Consumables do not move. Grant credits instead.") }
      guard !status.isRevoked else { throw LedgerError.invalid("The purchase \(id) was refunded: nothing moves.") }
      guard settings.allows(environment, for: customerStatus) else {
        throw LedgerError.invalid(
          "The purchase \(id) was made in the sandbox: it moves only to a customer who is listed in sandboxCustomers.")
      }
      guard try !transaction.isRevokedByOperator(claim, from: customer) else {
        throw LedgerError.invalid("The purchase \(id) was revoked from this customer. Grant the product instead.")
      }
      var passes = PassSchedule()
      let moved = try transaction.move(claim, to: customer, wasByDevice: false, &passes, now)
      _ = try transaction.settle(
        moved, by: status, settings.refundPolicy, &passes, delivery: delivery, now,
        hasFiles: { try transaction.contentVersion(of: $0, app: app) ?? 0 > 0 })
      try transaction.apply(passes)
      try transaction.record(entry)
      return true
    }
  }
}
