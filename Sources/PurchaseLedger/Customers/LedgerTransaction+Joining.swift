import StoreModel

extension LedgerTransaction {
  /// Whether a customer owns nothing. Claims that were transferred from `earlier` do not count if `earlier` had shown a
  /// proof that was issued for the device of `earlier`. A refunded purchase that never gave anything counts as owned,
  /// because a reversal of the refund would give it to this customer. An entitlement to a purchase that came from `earlier`
  /// and was moved back does not count.
  func ownsNothing(_ customer: CustomerID, besidesClaimsOf earlier: CustomerID) throws -> Bool {
    try row(
      """
      SELECT 1 AS found WHERE EXISTS (
          SELECT 1 FROM claim c WHERE c.customer = $1 AND NOT EXISTS (
            SELECT 1 FROM claim_transfer t
            WHERE t.app = c.app AND t.environment = c.environment AND t.id = c.id
              AND t.from_customer = $2 AND t.by_device = 1))
        OR EXISTS (SELECT 1 FROM credit_account WHERE customer = $1)
        OR EXISTS (
          SELECT 1 FROM entitlement e WHERE e.customer = $1 AND NOT EXISTS (
            SELECT 1 FROM claim c WHERE c.app = e.app AND c.id = e.source
              AND c.environment IN ('Production', 'Sandbox', 'Xcode')
              AND ((c.customer = $1) IS TRUE OR (c.customer = $2) IS TRUE AND e.end_reason = 'transferred' AND EXISTS (
                SELECT 1 FROM claim_transfer t
                WHERE t.app = c.app AND t.environment = c.environment AND t.id = c.id
                  AND t.from_customer = $2 AND t.to_customer = $1 AND t.by_device = 1))))
      """, customer, earlier) == nil
  }

  /// Joins a customer who owns nothing to an existing customer, and transfers the tokens. If the `appAccountToken` of a
  /// purchase names the newcomer, the purchase can still be redeemed by the existing customer.
  func join(_ newcomer: CustomerID, to existing: CustomerID) throws {
    try require(.customer(newcomer), .customer(existing))
    try execute("UPDATE bearer_token SET customer = $2 WHERE customer = $1", newcomer, existing)
    try execute("DELETE FROM stored_proof WHERE customer = $1", newcomer)
    try joinConsents(of: newcomer, to: existing)
    try execute(
      "UPDATE customer SET joined_to = $2, changed = $3, cause = $4 WHERE id = $1 OR joined_to = $1", newcomer,
      existing, change?.date, change?.cause)
  }
}
