import StoreModel

extension LedgerTransaction {
  /// Gives a product to a customer, or updates the existing entitlement. If a refund, transfer or plan change has ended
  /// it, it becomes active again. If an operator has revoked it, it stays ended. Nothing is written for an erased customer, who may own
  /// the claim of a purchase that is renewed, or whose refund is reversed.
  func entitle(
    _ customer: CustomerID, app: BundleID, product: ProductID, source: String, origin: LedgerEntitlement.Origin,
    begun: StoreDate, accessUntil: StoreDate?
  ) throws {
    try require(.customer(customer))
    try execute(
      """
      INSERT INTO entitlement (customer, app, product, source, origin, begun, access_until, changed, cause)
      SELECT $1, $2, $3, $4, $5, $6, CAST($7 AS BIGINT), CAST($8 AS BIGINT), CAST($9 AS TEXT)
      FROM customer WHERE id = $1 AND erased IS NULL
      ON CONFLICT (customer, app, product, source) DO UPDATE
      SET origin = excluded.origin, access_until = excluded.access_until, changed = excluded.changed, cause = excluded.cause,
        ended = CASE WHEN entitlement.end_reason IN ('refunded', 'transferred', 'replaced') THEN NULL ELSE entitlement.ended END,
        end_reason =
          CASE WHEN entitlement.end_reason IN ('refunded', 'transferred', 'replaced') THEN NULL ELSE entitlement.end_reason END
      WHERE entitlement.origin <> excluded.origin OR entitlement.end_reason IN ('refunded', 'transferred', 'replaced')
        OR COALESCE(entitlement.access_until, -1) <> COALESCE(excluded.access_until, -1)
      """, customer, app, product, source, origin, begun, accessUntil, change?.date, change?.cause)
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
      UPDATE entitlement SET ended = $5, end_reason = $6, changed = $5, cause = $7
      WHERE customer = $1 AND app = $2 AND product = $3 AND source = $4 AND ended IS NULL
      """, customer, app, product, source, now, reason, change?.cause) > 0
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

  /// Returns an entitlement with a source, to any product; nil if there is none.
  ///
  /// `BETWEEN` makes SQLite use the index of the source. With `=`, it reads all entitlements of the customer.
  func entitlement(of customer: CustomerID, app: BundleID, source: String) throws -> LedgerEntitlement? {
    try row(
      """
      \(LedgerEntitlement.query)
      WHERE e.source = $3 AND e.app = $2 AND e.customer BETWEEN $1 AND $1 LIMIT 1
      """, customer, app, source
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

  /// Returns the entitlements after a product and source, by product and source.
  func entitlements(
    of customer: CustomerID, app: BundleID, after position: (product: String, source: String), limit: Int
  ) throws -> [LedgerEntitlement] {
    try rows(
      """
      \(LedgerEntitlement.query)
      WHERE e.customer = $1 AND e.app = $2 AND (e.product, e.source) > ($3, $4) ORDER BY e.product, e.source LIMIT $5
      """, customer, app, position.product, position.source, limit
    ).map(LedgerEntitlement.init)
  }
}

extension Ledger {
  /// Returns all entitlements of a customer in an app, including ended ones. Use ``LedgerEntitlement/isActive(at:)`` to
  /// select the active ones.
  public func entitlements(of customer: CustomerID, app: BundleID) async throws -> [LedgerEntitlement] {
    try await LedgerPage.all {
      try await entitlements(of: customer, app: app, after: $0, limit: LedgerPage<Never>.largest)
    }
  }

  /// Returns a page of a customer's entitlements, by product and source.
  ///
  /// - Parameters:
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  public func entitlements(
    of customer: CustomerID, app: BundleID, after: [String]?, limit: Int
  ) async throws -> LedgerPage<LedgerEntitlement> {
    _ = try settings(of: app)
    try LedgerPage<LedgerEntitlement>.check(limit: limit)
    let (product, source) = try LedgerPage<LedgerEntitlement>.parts(of: after)
    let found = try await readAccess { transaction in
      try transaction.expectScheduledPasses(of: customer)
      return try transaction.entitlements(of: customer, app: app, after: (product, source), limit: limit + 1)
    }
    return Ledger.page(of: found, limit: limit)
  }
}
