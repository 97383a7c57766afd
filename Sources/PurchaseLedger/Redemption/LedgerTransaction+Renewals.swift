import StoreModel

extension LedgerTransaction {
  /// Records how a subscription continues, unless a newer record is stored.
  ///
  /// - Parameter stated: the date of the record, unless it has a date of its own.
  func record(_ renewal: ProvenRenewal, of claim: PurchaseKey, stated: StoreDate) throws {
    try require(.subscription(claim))
    try execute(
      """
      INSERT INTO subscription_renewal
        (app, environment, claim, period, product, auto_renew, billing_retry, grace_until, expiration_intent, stated,
        changed, cause, price_increase)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
      ON CONFLICT (app, environment, claim) DO UPDATE
      SET period = excluded.period, product = excluded.product, auto_renew = excluded.auto_renew,
        billing_retry = excluded.billing_retry, grace_until = excluded.grace_until,
        expiration_intent = excluded.expiration_intent, stated = excluded.stated, changed = excluded.changed,
        cause = excluded.cause, price_increase = excluded.price_increase
      WHERE excluded.stated > subscription_renewal.stated
      """, claim.app, claim.environment, claim.id, renewal.lastPeriod, renewal.productID, renewal.isAutoRenewOn,
      renewal.isInBillingRetry, renewal.gracePeriodEnd, renewal.expirationIntent,
      renewal.statedDate ?? stated, change?.date, change?.cause, renewal.priceIncrease)
  }

  /// Returns the end of the grace period after a subscription's current period; nil if there is none.
  func gracePeriodEnd(of claim: PurchaseKey) throws -> StoreDate? {
    guard let current = try currentPeriod(of: claim) else { return nil }
    // Only a row about the current period is used. The grace period in a row about an earlier period is over. A row
    // about a later period is ignored, because that period was refunded.
    return try row(
      """
      SELECT grace_until FROM subscription_renewal
      WHERE app = $1 AND environment = $2 AND claim = $3 AND period = $4
      """, claim.app, claim.environment, claim.id, current.id
    )?.optionalDate("grace_until")
  }

  /// Returns the date at which a claim's access ends: for a subscription, the end of the current period or of the grace period
  /// after it. Nil for never.
  func accessEnd(of claim: Claim) throws -> StoreDate? {
    guard claim.type == .autoRenewableSubscription, let end = claim.accessUntil else {
      // A new pass has this end unless the period of an earlier one comes first, which is known when it is scheduled.
      return claim.accessUntil
        ?? claim.accessDays.map { PassSchedule.end(purchased: claim.purchased, days: $0, after: nil) }
    }
    return try max(end, gracePeriodEnd(of: claim.key) ?? end)
  }
}
