import StoreModel

extension LedgerTransaction {
  /// Gives a product, or brings what was given up to date. What the store had ended goes on; what an operator has ended
  /// stays so.
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

  /// Takes a product back. One that has ended stays as it ended.
  ///
  /// - Returns: whether there was anything to take.
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
      SELECT product, source, origin, begun, access_until, ended, end_reason FROM entitlement
      WHERE customer = $1 AND app = $2 AND product = $3 AND source = $4
      """, customer, app, product, source
    ).map(LedgerEntitlement.init)
  }

  func entitlements(of customer: CustomerID, app: BundleID) throws -> [LedgerEntitlement] {
    try rows(
      """
      SELECT product, source, origin, begun, access_until, ended, end_reason FROM entitlement
      WHERE customer = $1 AND app = $2 ORDER BY product, source
      """, customer, app
    ).map(LedgerEntitlement.init)
  }
}

extension Ledger {
  /// All that a customer has and had in an app. Which of it counts now, ``LedgerEntitlement/isActive(at:)`` says.
  public func entitlements(of customer: CustomerID, app: BundleID) async throws -> [LedgerEntitlement] {
    _ = try settings(of: app)
    return try await database.read { try $0.entitlements(of: customer, app: app) }
  }

  /// The ledger's clock, by which access runs out.
  public var now: StoreDate { clock.now }
}
