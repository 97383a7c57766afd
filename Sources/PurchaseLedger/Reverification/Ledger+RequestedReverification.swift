import StoreModel

extension Ledger {
  /// Returns a page of claimed purchases whose proofs an operator wants to verify again, and records the request in the
  /// audit log. Due dates do not change.
  ///
  /// - Parameters:
  ///   - after: the last purchase of the previous page; nil for the first page.
  ///   - limit: the maximum number of purchases; 1 to 1,000.
  ///   - reason: recorded in the audit log.
  /// - Throws: ``LedgerError``: `unknownApp`; `unknownCustomer`, `unknownProduct` or `unknownClaim` if `purchases`
  ///   names a customer, product or purchase that does not exist.
  public func reverify(
    _ purchases: ReverifiedPurchases, app: BundleID, after: PurchaseKey? = nil, limit: Int, by operatorName: String,
    reason: String? = nil
  ) async throws -> [ReverifiedPurchase] {
    _ = try settings(of: app)
    guard (1...1000).contains(limit) else { throw LedgerError.invalid("A page has 1 to 1,000 purchases.") }
    let entry = audit(
      operatorName, "reverify", subject: purchases.subject,
      "in \(app)" + (after.map { ", after \($0.id) (\($0.environment))" } ?? ""), reason: reason)
    let now = clock.now
    return try await database.write(locking: []) { transaction in
      transaction.change = LedgerChange(date: now)
      try transaction.expect(purchases, app: app)
      let (condition, value) = purchases.condition
      let rows = try transaction.rows(
        """
        SELECT environment, id, customer, proof FROM claim
        WHERE app = $1 AND \(condition) AND (environment, id) > ($3, $4) ORDER BY environment, id LIMIT $5
        """, app, value, after?.environment.rawValue ?? "", after?.id.rawValue ?? "", limit)
      try transaction.record(entry)
      return try rows.map { row in
        ReverifiedPurchase(
          key: PurchaseKey(app: app, environment: try row.value("environment"), id: try row.value("id")),
          customer: try row.customer("customer"), digest: try row.optionalText("proof"))
      }
    }
  }

  /// Returns the stored proof of a purchase; nil if there is none.
  public func storedProof(of purchase: ReverifiedPurchase) async throws -> StoredProof? {
    guard let digest = purchase.digest else { return nil }
    return try await database.read { transaction in
      try transaction.row(
        """
        SELECT customer, app, environment, digest, kind, data FROM stored_proof
        WHERE customer = $1 AND app = $2 AND environment = $3 AND digest = $4
        """, purchase.customer, purchase.key.app, purchase.key.environment, digest
      ).map(StoredProof.init)
    }
  }
}

extension LedgerTransaction {
  /// Checks that the customer, product or purchase that `purchases` names exists.
  fileprivate func expect(_ purchases: ReverifiedPurchases, app: BundleID) throws {
    switch purchases {
    case .customer(let customer): _ = try expect(customer)
    case .product(let id):
      guard try product(id, app: app) != nil else { throw LedgerError.unknownProduct(id) }
    case .transaction(let id):
      let claims = try StoreEnvironment.allCases.compactMap { environment in
        try claim(PurchaseKey(app: app, environment: environment, id: id))
      }
      guard !claims.isEmpty else { throw LedgerError.unknownClaim(id) }
    }
  }
}
