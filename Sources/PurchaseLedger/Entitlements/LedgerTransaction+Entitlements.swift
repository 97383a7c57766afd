import StoreModel

extension LedgerTransaction {
  /// Gives a product to a customer, or updates the existing entitlement. If a refund, transfer or plan change has ended
  /// it, it becomes active again. If an operator has revoked it, or the customer was erased, it stays ended.
  func entitle(
    _ customer: CustomerID, app: BundleID, product: ProductID, source: String, origin: LedgerEntitlement.Origin,
    begun: StoreDate, accessUntil: StoreDate?
  ) throws {
    try require(.customer(customer))
    try execute(
      """
      INSERT INTO entitlement (customer, app, product, source, origin, begun, access_until)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      ON CONFLICT (customer, app, product, source) DO UPDATE
      SET origin = excluded.origin, access_until = excluded.access_until,
        ended = CASE WHEN entitlement.end_reason IN ('refunded', 'transferred', 'replaced') THEN NULL ELSE entitlement.ended END,
        end_reason =
          CASE WHEN entitlement.end_reason IN ('refunded', 'transferred', 'replaced') THEN NULL ELSE entitlement.end_reason END
      """, customer, app, product, source, origin, begun, accessUntil)
  }

  /// Ends an entitlement. An entitlement that has already ended keeps its date and reason.
  ///
  /// - Returns: whether the entitlement existed and had not ended.
  @discardableResult
  func endEntitlement(
    of customer: CustomerID, app: BundleID, product: ProductID, source: String,
    _ reason: LedgerEntitlement.EndReason, _ now: StoreDate
  ) throws -> Bool {
    try require(.customer(customer))
    return try execute(
      """
      UPDATE entitlement SET ended = $5, end_reason = $6
      WHERE customer = $1 AND app = $2 AND product = $3 AND source = $4 AND ended IS NULL
      """, customer, app, product, source, now, reason) > 0
  }

  func entitlement(
    of customer: CustomerID, app: BundleID, product: ProductID, source: String
  ) throws -> LedgerEntitlement? {
    try row(
      """
      \(LedgerEntitlement.query)
      WHERE e.customer = $1 AND e.app = $2 AND e.product = $3 AND e.source = $4
      """, customer, app, product, source
    ).map(LedgerEntitlement.init)
  }

  func entitlements(of customer: CustomerID, app: BundleID) throws -> [LedgerEntitlement] {
    try rows(
      """
      \(LedgerEntitlement.query)
      WHERE e.customer = $1 AND e.app = $2 ORDER BY e.product, e.source
      """, customer, app
    ).map(LedgerEntitlement.init)
  }
}

extension Ledger {
  /// Returns all entitlements of a customer in an app, including ended ones. Use ``LedgerEntitlement/isActive(at:)`` to
  /// select the active ones.
  public func entitlements(of customer: CustomerID, app: BundleID) async throws -> [LedgerEntitlement] {
    _ = try settings(of: app)
    return try await database.read { try $0.entitlements(of: customer, app: app) }
  }
}
