import StoreModel

extension Ledger {
  /// The maximum number of customers that are examined in one transaction.
  static let unusedPage = 200

  /// Removes anonymous customers that were registered long ago and have no trace of a purchase.
  ///
  /// Their tokens are refused from then on, and their apps register again. An unredeemed purchase that names a removed customer
  /// can be claimed by any customer with a proof. Each commit removes at most ``unusedPage`` customers.
  ///
  /// - Parameter days: the minimum age of the customers and of all their tokens, in days; at least 1.
  /// - Returns: the number of removed customers.
  @discardableResult
  public func removeUnusedInstallations(olderThanDays days: Int64) async throws -> Int {
    guard days >= 1 else { throw LedgerError.invalid("Installations are removed after 1 day or more.") }
    let cutoff = clock.now.adding(seconds: -days * 86_400)
    var (removed, last) = (0, "")
    while !Task.isCancelled {
      let after = last
      let page = try await database.read { transaction in
        try transaction.rows(
          """
          SELECT id, CAST(
            CASE WHEN created < $2 AND \(LedgerTransaction.isUnused("c")) THEN 1 ELSE 0 END AS BIGINT) AS unused
          FROM customer c WHERE id > $1 ORDER BY id LIMIT $3
          """, after, cutoff, Self.unusedPage
        ).map { (id: try $0.customer("id"), isUnused: try $0.integer("unused") == 1) }
      }
      guard let end = page.last else { break }
      last = end.id.description
      let unused = page.filter(\.isUnused).map(\.id)
      guard !unused.isEmpty else { continue }
      // A customer may have claimed a purchase since the read. So the condition is checked again while the lock is
      // held.
      removed += try await database.write(locking: Set(unused.map { .customer($0) })) { transaction in
        try unused.reduce(0) { try $0 + transaction.removeIfUnused($1, before: cutoff) }
      }
    }
    return removed
  }
}

extension LedgerTransaction {
  /// Returns an SQL condition on a row of `customer`: it is true if no other table has a trace of a purchase, delivery,
  /// spend or transfer. If a purchase was moved to another customer, the ended entitlement is such a trace.
  fileprivate static func isUnused(_ customer: String) -> String {
    let tables = ["claim", "entitlement", "delivery", "credit_account", "credit_movement", "stored_proof"]
    let traces = tables.map { "NOT EXISTS (SELECT 1 FROM \($0) x WHERE x.customer = \(customer).id)" }
    return """
      \(customer).subject IS NULL AND \(customer).erased IS NULL AND \(customer).joined_to IS NULL
      AND NOT EXISTS (SELECT 1 FROM customer x WHERE x.joined_to = \(customer).id)
      AND \(traces.joined(separator: " AND "))
      """
  }

  /// Removes a customer, if the customer is still unused.
  ///
  /// - Returns: 1 if the customer was unused and was removed, otherwise 0.
  fileprivate func removeIfUnused(_ customer: CustomerID, before cutoff: StoreDate) throws -> Int {
    try require(.customer(customer))
    let found = try row(
      """
      SELECT 1 AS found FROM customer c WHERE c.id = $1 AND c.created < $2 AND \(Self.isUnused("c"))
      AND NOT EXISTS (SELECT 1 FROM bearer_token t WHERE t.customer = c.id AND t.issued >= $2)
      """, customer, cutoff)
    guard found != nil else { return 0 }
    try execute("DELETE FROM bearer_token WHERE customer = $1", customer)
    try removeConsents(of: customer)
    return try execute("DELETE FROM customer WHERE id = $1", customer)
  }
}
