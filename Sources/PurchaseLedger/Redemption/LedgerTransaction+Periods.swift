import StoreModel

extension LedgerTransaction {
  /// Records all periods of a subscription in a proof. Each period is bought, refunded and replaced separately.
  ///
  /// - Returns: the status of the subscription, which is revoked if it has no current period.
  func record(
    periods: [ProvenPurchase], of claim: PurchaseKey, stated: StoreDate, _ now: StoreDate
  ) throws -> RevocationStatus {
    try require(.subscription(claim))
    // Each call of `recordLater` locks a row. All writes lock their rows in the same order, which prevents most deadlocks.
    for period in periods.sorted(by: { $0.transactionID < $1.transactionID }) {
      let key = PurchaseKey(app: claim.app, environment: claim.environment, id: period.transactionID)
      let stated = period.statedDate ?? stated
      _ = try recordLater(period.revocation, on: key, stated: stated, now)
      // A period without an expiration date grants no access.
      try executeLater(
        """
        INSERT INTO claim_period (app, environment, id, claim, product, purchased, access_until, stated)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (app, environment, id) DO UPDATE
        SET product = excluded.product, access_until = excluded.access_until, stated = excluded.stated
        WHERE excluded.stated > claim_period.stated
          OR excluded.stated = claim_period.stated AND excluded.access_until < claim_period.access_until
        """, key.app, key.environment, key.id, claim.id, period.productID, period.purchaseDate,
        period.expiresDate ?? period.purchaseDate, stated)
    }
    return try subscriptionStatus(on: claim, stated: stated)
  }

  /// Returns the locks that are required to settle a claim.
  func locks(on claim: PurchaseKey, _ type: ProductType) throws -> [LedgerLock] {
    locks(on: claim, type, owner: try self.claim(claim)?.customer)
  }

  /// Returns the locks that are required to settle a claim whose owner is known; nil if the purchase is not claimed.
  func locks(on claim: PurchaseKey, _ type: ProductType, owner: CustomerID?) -> [LedgerLock] {
    [owner.map(LedgerLock.customer), type == .autoRenewableSubscription ? .subscription(claim) : nil].compactMap(\.self)
  }

  /// Returns the status of a subscription. Without a current period it is revoked, with the date of the last revocation.
  func subscriptionStatus(on claim: PurchaseKey, stated: StoreDate) throws -> RevocationStatus {
    guard try currentPeriod(of: claim) == nil else {
      return RevocationStatus(isRevoked: false, date: nil, percentage: 0, stated: stated)
    }
    let row = try row(
      """
      SELECT MAX(s.date) AS date FROM claim_period p
      JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id
      WHERE p.app = $1 AND p.environment = $2 AND p.claim = $3
      """, claim.app, claim.environment, claim.id)
    return RevocationStatus(isRevoked: true, date: try row?.optionalDate("date"), percentage: 100_000, stated: stated)
  }

  /// Returns the period that determines a subscription's product and access; nil if there is none
  /// (``ClaimedPeriod/current(of:)``).
  func currentPeriod(of claim: PurchaseKey) throws -> ClaimedPeriod? {
    // Periods that were bought before the newest unrevoked one make no difference.
    let periods = try rows(
      """
      SELECT p.id, p.product, p.purchased, p.access_until, p.stated, s.revoked,
        CASE WHEN q.id IS NULL THEN 0 ELSE 1 END AS in_catalog
      FROM claim_period p
      JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id
      LEFT JOIN product q ON q.app = p.app AND q.id = p.product AND q.type = $4
      WHERE p.app = $1 AND p.environment = $2 AND p.claim = $3 AND p.purchased >= (
        SELECT MAX(n.purchased) FROM claim_period n
        JOIN statement t ON t.app = n.app AND t.environment = n.environment AND t.id = n.id AND t.revoked = 0
        JOIN product r ON r.app = n.app AND r.id = n.product AND r.type = $4
        WHERE n.app = $1 AND n.environment = $2 AND n.claim = $3)
      """, claim.app, claim.environment, claim.id, ProductType.autoRenewableSubscription
    ).map(ClaimedPeriod.init)
    return ClaimedPeriod.current(of: periods)
  }

  /// Updates a subscription's claim to its current period. If the plan has changed, the old plan's entitlement ends.
  func followPeriods(_ claim: Claim, _ now: StoreDate) throws -> Claim {
    guard claim.type == .autoRenewableSubscription, let current = try currentPeriod(of: claim.key),
      current.product != claim.product || current.accessUntil != claim.accessUntil
    else { return claim }
    if current.product != claim.product {
      try endEntitlement(
        of: claim.customer, app: claim.key.app, product: claim.product, source: claim.source, .replaced, now)
      try endDeliveries(of: claim.customer, app: claim.key.app, source: claim.source, now)
    }
    var claim = claim
    claim.product = current.product
    claim.accessUntil = current.accessUntil
    try update(claim)
    return claim
  }
}

extension ClaimedPeriod {
  fileprivate init(_ row: SQLRow) throws {
    self.init(
      id: try row.value("id"), product: try row.identifier("product"), purchased: try row.date("purchased"),
      accessUntil: try row.date("access_until"), stated: try row.date("stated"), isRevoked: try row.flag("revoked"),
      isInCatalog: try row.flag("in_catalog"))
  }
}
