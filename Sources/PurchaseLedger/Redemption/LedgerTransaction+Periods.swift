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

  /// Returns the newest unrevoked period; nil if there is none. After a plan change, this period belongs to another
  /// product. Periods of products that are not in the catalog are ignored.
  ///
  /// A plan that was replaced before its end is over, even if the new plan was refunded later. The result is then nil.
  func currentPeriod(of claim: PurchaseKey) throws -> ClaimedPeriod? {
    let newest = try row(
      """
      SELECT p.id, p.product, p.purchased, \(Self.hasAccess) AS has_access FROM claim_period p
      JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id AND s.revoked = 0
      JOIN product q ON q.app = p.app AND q.id = p.product AND q.type = $4
      WHERE p.app = $1 AND p.environment = $2 AND p.claim = $3
      ORDER BY p.purchased DESC, \(Self.hasAccess) DESC, LENGTH(p.id) DESC, p.id DESC LIMIT 1
      """, claim.app, claim.environment, claim.id, ProductType.autoRenewableSubscription)
    guard let newest else { return nil }
    let (product, purchased): (ProductID, StoreDate) = (
      try newest.identifier("product"), try newest.date("purchased")
    )
    // A restored period can have a second transaction id. The one that lasts longer is used.
    let longest = try row(
      """
      SELECT p.id, p.access_until, p.stated FROM claim_period p
      JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id AND s.revoked = 0
      WHERE p.app = $1 AND p.environment = $2 AND p.claim = $3 AND p.product = $4 AND p.purchased = $5
      ORDER BY p.access_until DESC, LENGTH(p.id) DESC, p.id DESC LIMIT 1
      """, claim.app, claim.environment, claim.id, product, purchased)
    guard let longest else { return nil }
    let period = ClaimedPeriod(
      id: try longest.value("id"), product: product, accessUntil: try longest.date("access_until"))
    let id = try newest.text("id")
    let isReplaced = try isReplaced(
      period, of: claim, purchased, stated: longest.date("stated"),
      order: (newest.integer("has_access"), id.utf8.count, id))
    return isReplaced ? nil : period
  }

  /// Whether a later period of another product, which was refunded since, replaced a period before its end.
  ///
  /// If the store stated the period after the other one was bought, it was not replaced: the store would have stated its
  /// earlier end.
  ///
  /// - Parameter order: the values that decide the order of periods with the same purchase date.
  private func isReplaced(
    _ period: ClaimedPeriod, of claim: PurchaseKey, _ purchased: StoreDate, stated: StoreDate,
    order: (hasAccess: Int64, idLength: Int, id: String)
  ) throws -> Bool {
    try row(
      """
      SELECT 1 AS found FROM claim_period p
      JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id AND s.revoked = 1
      WHERE p.app = $1 AND p.environment = $2 AND p.claim = $3 AND p.product <> $4 AND p.purchased < $5
        AND (p.purchased > $6 AND p.purchased > $7
          OR p.purchased = $6 AND (\(Self.hasAccess), LENGTH(p.id), p.id) > ($8, $9, $10))
      LIMIT 1
      """, claim.app, claim.environment, claim.id, period.product, period.accessUntil, purchased, stated,
      order.hasAccess, order.idLength, order.id) != nil
  }

  /// Whether a period lasts a second or more: 1 or 0. Purchase dates have whole seconds. Of two plans with the same date,
  /// one without access was replaced by the other. If both have access, the higher transaction id decides.
  private static let hasAccess = "CASE WHEN p.access_until - p.purchased >= 1000 THEN 1 ELSE 0 END"

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
