import StoreModel

extension LedgerTransaction {
  /// Records all periods of a subscription in a proof. Each period is bought, refunded and replaced separately.
  ///
  /// Of several statements about a period, the newest counts. Only `verifyReceipt` says when an upgrade has replaced a period: a
  /// signed transaction has the date at which it was signed as the end. So an upgraded period ends at the earliest of these dates,
  /// and at the latest when the next plan was bought. The result is the same in any order of the statements.
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
      // A period without an expiration date grants no access. What is not newer only fills in what no signed data had stated.
      try executeLater(
        """
        INSERT INTO claim_period
          (app, environment, id, claim, product, purchased, access_until, stated, upgraded, changed, cause, price, currency,
          period_type)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
        ON CONFLICT (app, environment, id) DO UPDATE SET
          product = CASE WHEN \(Self.isNewerPeriod) THEN excluded.product ELSE claim_period.product END,
          access_until = CASE
            WHEN NOT \(Self.isNewerPeriod) THEN claim_period.access_until
            WHEN excluded.upgraded = 1 AND claim_period.upgraded = 1 AND claim_period.access_until < excluded.access_until
            THEN claim_period.access_until ELSE excluded.access_until END,
          stated = CASE
            WHEN \(Self.isNewerPeriod) AND excluded.stated > claim_period.stated THEN excluded.stated
            ELSE claim_period.stated END,
          upgraded = CASE WHEN \(Self.isNewerPeriod) THEN excluded.upgraded ELSE claim_period.upgraded END,
          changed = CASE WHEN \(Self.isNewerPeriod) THEN excluded.changed ELSE claim_period.changed END,
          cause = CASE WHEN \(Self.isNewerPeriod) THEN excluded.cause ELSE claim_period.cause END,
          price = CASE WHEN claim_period.price IS NULL THEN excluded.price ELSE claim_period.price END,
          currency = CASE WHEN claim_period.price IS NULL THEN excluded.currency ELSE claim_period.currency END,
          period_type = COALESCE(claim_period.period_type, excluded.period_type)
        WHERE \(Self.isNewerPeriod)
          OR claim_period.price IS NULL AND excluded.price IS NOT NULL
          OR claim_period.period_type IS NULL AND excluded.period_type IS NOT NULL
        """, key.app, key.environment, key.id, claim.id, period.productID, period.purchaseDate,
        period.expiresDate ?? period.purchaseDate, stated, period.isUpgraded, change?.date, change?.cause,
        period.price?.milliunits, period.price?.currency, period.periodType)
      // After the period, so that the event of its refund finds it.
      _ = try recordLater(period.revocation, on: key, stated: stated, now)
    }
    try endUpgradedPeriods(of: claim)
    return try subscriptionStatus(on: claim, stated: stated)
  }

  /// Whether a statement about a period counts instead of the one that is recorded.
  private static let isNewerPeriod = """
    ((excluded.stated, excluded.upgraded) > (claim_period.stated, claim_period.upgraded)
      OR excluded.access_until < claim_period.access_until AND (
        excluded.upgraded = 1 AND claim_period.upgraded = 1
        OR excluded.stated = claim_period.stated AND excluded.upgraded = claim_period.upgraded))
    """

  /// The ids of a claim's periods. With the condition `claim = $3` itself, SQLite would read all periods of the app: it expects the
  /// first columns of the primary key to be as good as those of the index, and so saves the way through the index.
  private static let periodIDs = """
    SELECT i.id FROM claim_period i WHERE i.app = $1 AND i.environment = $2 AND i.claim = $3
    """

  /// Ends upgraded periods when the next period of another plan was bought, if they end later. Of periods with the same purchase
  /// date, the transaction ids decide.
  private func endUpgradedPeriods(of claim: PurchaseKey) throws {
    let nextPlans = """
      FROM claim_period n
      WHERE n.app = claim_period.app AND n.environment = claim_period.environment AND n.id IN (\(Self.periodIDs))
        AND n.product <> claim_period.product
        AND (n.purchased, length(n.id), n.id) > (claim_period.purchased, length(claim_period.id), claim_period.id)
      """
    try executeLater(
      """
      UPDATE claim_period SET access_until = (SELECT MIN(n.purchased) \(nextPlans)), changed = $4, cause = $5
      WHERE app = $1 AND environment = $2 AND id IN (\(Self.periodIDs)) AND upgraded = 1
        AND EXISTS (SELECT 1 \(nextPlans) AND n.purchased < claim_period.access_until)
      """, claim.app, claim.environment, claim.id, change?.date, change?.cause)
  }

  /// Returns the locks that are required to settle a claim.
  func locks(on claim: PurchaseKey, _ type: ProductType) throws -> [LedgerLock] {
    LedgerLock.settling(claim, type, owner: try self.claim(claim)?.customer)
  }

  /// Returns the status of a subscription. Without a current period it is revoked, with the date of the last revocation.
  func subscriptionStatus(on claim: PurchaseKey, stated: StoreDate) throws -> RevocationStatus {
    guard try currentPeriod(of: claim) == nil else {
      return RevocationStatus(isRevoked: false, date: nil, percentage: 0, stated: stated)
    }
    let row = try row(
      """
      SELECT MAX(date) AS date FROM statement WHERE app = $1 AND environment = $2 AND id IN (\(Self.periodIDs))
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
      WHERE p.app = $1 AND p.environment = $2 AND p.id IN (\(Self.periodIDs)) AND p.purchased >= (
        SELECT MAX(n.purchased) FROM claim_period n
        JOIN statement t ON t.app = n.app AND t.environment = n.environment AND t.id = n.id AND t.revoked = 0
        JOIN product r ON r.app = n.app AND r.id = n.product AND r.type = $4
        WHERE n.app = $1 AND n.environment = $2 AND n.id IN (\(Self.periodIDs)))
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

extension LedgerLock {
  /// The locks that are required to settle a claim.
  ///
  /// - Parameter owner: the claim's owner; nil if the purchase is not claimed.
  static func settling(_ claim: PurchaseKey, _ type: ProductType, owner: CustomerID?) -> [LedgerLock] {
    [owner.map(LedgerLock.customer), type == .autoRenewableSubscription ? .subscription(claim) : nil].compactMap(\.self)
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
