import StoreModel

/// A recorded period of an auto-renewable subscription.
struct ClaimedPeriod: Hashable, Sendable {
  let id: TransactionID
  let product: ProductID
  /// The expiration date, without a grace period.
  let accessUntil: StoreDate
}

extension LedgerTransaction {
  /// Records all periods of a subscription in a proof. Each period is bought, refunded and replaced separately.
  ///
  /// - Returns: the status of the subscription, which is revoked if all known periods are revoked.
  func record(
    periods: [ProvenPurchase], of claim: PurchaseKey, stated: StoreDate, _ now: StoreDate
  ) throws -> RevocationStatus {
    try require(.subscription(claim))
    // Each call of `record` locks a row. All transactions lock the rows in the same order, which prevents deadlocks.
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
        """, key.app, key.environment, key.id, claim.id, period.productID, period.purchaseDate,
        period.expiresDate ?? period.purchaseDate, stated)
    }
    return try subscriptionStatus(on: claim, stated: stated)
  }

  /// Returns the locks that are required to settle a claim.
  func locks(on claim: PurchaseKey, _ type: ProductType) throws -> [LedgerLock] {
    locks(on: claim, type, owner: try self.claim(claim)?.customer)
  }

  func locks(on claim: PurchaseKey, _ type: ProductType, owner: CustomerID?) -> [LedgerLock] {
    [owner.map(LedgerLock.customer), type == .autoRenewableSubscription ? .subscription(claim) : nil].compactMap(\.self)
  }

  /// Returns the status of a subscription. If all periods are revoked, the status has the date of the last revocation.
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

  /// Returns the unrevoked period with the latest purchase date. After a plan change, this period belongs to another
  /// product. Periods of products that are not in the catalog are ignored.
  func currentPeriod(of claim: PurchaseKey) throws -> ClaimedPeriod? {
    try row(
      """
      SELECT p.id, p.product, p.access_until FROM claim_period p
      JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id AND s.revoked = 0
      JOIN product q ON q.app = p.app AND q.id = p.product AND q.type = $4
      WHERE p.app = $1 AND p.environment = $2 AND p.claim = $3
      ORDER BY p.purchased DESC, p.access_until DESC LIMIT 1
      """, claim.app, claim.environment, claim.id, ProductType.autoRenewableSubscription
    ).map {
      ClaimedPeriod(
        id: try $0.value("id"), product: try $0.identifier("product"), accessUntil: try $0.date("access_until"))
    }
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
