import StoreModel

extension Ledger {
  /// Begins an export of all data about a customer. If the customer was joined to another one, it is the other customer's
  /// data.
  ///
  /// - Throws: ``LedgerError/unknownCustomer(_:)``.
  public func export(_ customer: CustomerID) async throws -> CustomerExportReader {
    let (customer, row) = try await database.read { transaction in
      let customer = try transaction.status(of: customer)?.joinedTo ?? customer
      let known = try transaction.row(
        "SELECT subject, created FROM customer WHERE id = $1 AND erased IS NULL", customer)
      guard let known else { throw LedgerError.unknownCustomer(customer) }
      return (customer, known)
    }
    return CustomerExportReader(
      customer, subject: try row.optionalText("subject"), created: try row.date("created"), ledger: self)
  }

  /// Erases a customer's personal data: subject, tokens, devices, consents and proofs. The customer's entitlements and deliveries
  /// end.
  ///
  /// The customer's claims stay, because a purchase without a claim could be redeemed again. Movements of credits stay,
  /// because accounting requires them. A repeated call changes nothing.
  ///
  /// - Parameter cause: the operator who erases the customer, and why, for the audit log; nil if the customer asked for it with
  ///   a token.
  /// - Throws: ``LedgerError/unknownCustomer(_:)`` if the customer never existed or was joined to another.
  public func erase(_ customer: CustomerID, by cause: (operatorName: String, reason: String)? = nil) async throws {
    let now = clock.now
    let entry = cause.map { audit($0.operatorName, "erase", subject: "\(customer)", "", reason: $0.reason) }
    try await database.write(locking: [.customer(customer)]) { transaction in
      guard let status = try transaction.status(of: customer), status.joinedTo == nil else {
        throw LedgerError.unknownCustomer(customer)
      }
      guard !status.isErased else { return }
      let change = LedgerChange(date: now, cause: cause == nil ? .customer : .operator)
      transaction.change = change
      try transaction.execute(
        "UPDATE customer SET erased = $2, changed = $2, cause = $3, subject = NULL WHERE id = $1", customer, now,
        change.cause)
      try transaction.execute("DELETE FROM bearer_token WHERE customer = $1", customer)
      try transaction.removeConsents(of: customer)
      try transaction.execute("DELETE FROM stored_proof WHERE customer = $1", customer)
      try transaction.execute("UPDATE claim SET proof = NULL WHERE customer = $1 AND proof IS NOT NULL", customer)
      try transaction.execute(
        """
        UPDATE entitlement SET ended = $2, end_reason = $3, changed = $2, cause = $4 WHERE customer = $1 AND ended IS NULL
        """, customer, now, LedgerEntitlement.EndReason.erased, change.cause)
      try transaction.execute("UPDATE delivery SET ended = $2 WHERE customer = $1 AND ended IS NULL", customer, now)
      try transaction.execute("DELETE FROM pass_change WHERE customer = $1", customer)
      if let entry { try transaction.record(entry) }
    }
  }
}
