import StoreModel

extension Ledger {
  /// Returns all data about a customer, read in one transaction. If the customer was joined to another one, returns the
  /// other customer's data.
  ///
  /// - Throws: ``LedgerError/unknownCustomer(_:)``.
  public func export(_ customer: CustomerID) async throws -> CustomerExport {
    try await database.read { transaction in
      let customer = try transaction.status(of: customer)?.joinedTo ?? customer
      let known = try transaction.row(
        "SELECT subject, created FROM customer WHERE id = $1 AND erased IS NULL", customer)
      guard let known else { throw LedgerError.unknownCustomer(customer) }
      return CustomerExport(
        customer: customer, subject: try known.optionalText("subject"), created: try known.date("created"),
        installations: try transaction.rows(
          "SELECT app, device, issued, revoked FROM bearer_token WHERE customer = $1 ORDER BY issued", customer
        ).map { row in
          CustomerExport.Installation(
            app: try row.identifier("app"), device: try row.optionalText("device"), issued: try row.date("issued"),
            revoked: try row.optionalDate("revoked"))
        },
        purchases: try transaction.rows(
          """
          SELECT app, environment, id, product, quantity, purchased, claimed FROM claim
          WHERE customer = $1 ORDER BY claimed, id
          """, customer
        ).map { row in
          CustomerExport.Purchase(
            app: try row.identifier("app"), environment: try row.value("environment"), claim: try row.value("id"),
            product: try row.identifier("product"), quantity: try row.integer("quantity"),
            purchased: try row.date("purchased"), claimed: try row.date("claimed"))
        },
        entitlements: try transaction.rows(
          """
          \(LedgerEntitlement.query)
          WHERE e.customer = $1 ORDER BY e.app, e.product, e.source
          """, customer
        ).map { CustomerExport.OwnedProduct(app: try $0.identifier("app"), entitlement: try LedgerEntitlement($0)) },
        accounts: try transaction.rows(
          "SELECT app, unit, balance FROM credit_account WHERE customer = $1 ORDER BY app, unit", customer
        ).map { row in
          CustomerExport.Account(
            app: try row.identifier("app"), unit: try row.value("unit"), balance: try row.integer("balance"),
            movements: try transaction.rows(
              """
              SELECT sequence, amount, balance, counter_account, cause, cause_key, date FROM credit_movement
              WHERE customer = $1 AND app = $2 AND unit = $3 ORDER BY sequence
              """, customer, row.text("app"), row.text("unit")
            ).map(CreditMovement.init))
        })
    }
  }

  /// Erases a customer's personal data: subject, tokens, devices and proofs. The customer's entitlements and deliveries
  /// end.
  ///
  /// The customer's claims stay, because a purchase without a claim could be redeemed again. Movements of credits stay,
  /// because accounting requires them. A repeated call changes nothing.
  ///
  /// - Throws: ``LedgerError/unknownCustomer(_:)`` if the customer never existed or was joined to another.
  public func erase(_ customer: CustomerID) async throws {
    let now = clock.now
    try await database.write(locking: [.customer(customer)]) { transaction in
      guard let status = try transaction.status(of: customer), status.joinedTo == nil else {
        throw LedgerError.unknownCustomer(customer)
      }
      guard !status.isErased else { return }
      try transaction.execute("UPDATE customer SET erased = $2, subject = NULL WHERE id = $1", customer, now)
      try transaction.execute("DELETE FROM bearer_token WHERE customer = $1", customer)
      try transaction.execute("DELETE FROM stored_proof WHERE customer = $1", customer)
      try transaction.execute("UPDATE claim SET proof = NULL WHERE customer = $1 AND proof IS NOT NULL", customer)
      try transaction.execute(
        "UPDATE entitlement SET ended = $2, end_reason = $3 WHERE customer = $1 AND ended IS NULL", customer, now,
        LedgerEntitlement.EndReason.erased)
      try transaction.execute("UPDATE delivery SET ended = $2 WHERE customer = $1 AND ended IS NULL", customer, now)
    }
  }
}
