import StoreModel

/// The newest that the store has said on whether a transaction stands.
struct Statement: Hashable, Sendable {
  let isRevoked: Bool
  let date: StoreDate?
  /// How much of it was taken back, in thousandths of a percent; 0 if it stands.
  let percentage: Int64
  /// When the store said so.
  let stated: StoreDate
}

extension LedgerTransaction {
  /// Takes down what the store says of a transaction, unless something newer is known, and gives what is known then.
  ///
  /// Its row is locked until the transaction ends: whoever else redeems or revokes it waits. Of several, the one with
  /// the smallest id comes first, or two could wait for each other.
  func take(
    _ revocation: ProvenPurchase.Revocation?, on key: PurchaseKey, stated: StoreDate, _ now: StoreDate
  ) throws -> Statement {
    let row = try row(
      """
      INSERT INTO statement (app, environment, id, revoked, date, reason, percentage, stated, learnt)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (app, environment, id) DO UPDATE SET
        revoked = CASE WHEN excluded.stated > statement.stated THEN excluded.revoked ELSE statement.revoked END,
        date = CASE WHEN excluded.stated > statement.stated THEN excluded.date ELSE statement.date END,
        reason = CASE WHEN excluded.stated > statement.stated THEN excluded.reason ELSE statement.reason END,
        percentage =
          CASE WHEN excluded.stated > statement.stated THEN excluded.percentage ELSE statement.percentage END,
        learnt = CASE WHEN excluded.stated > statement.stated THEN excluded.learnt ELSE statement.learnt END,
        stated = CASE WHEN excluded.stated > statement.stated THEN excluded.stated ELSE statement.stated END
      RETURNING revoked, date, percentage, stated
      """, key.app, key.environment, key.id, revocation != nil, revocation?.date, revocation?.reason,
      min(max(revocation?.percentage ?? 0, 0), 100_000), stated, now)
    guard let row else { throw LedgerDatabaseError.unexpectedRow("a statement that was written is not there") }
    return Statement(
      isRevoked: try row.flag("revoked"), date: try row.optionalDate("date"),
      percentage: try row.integer("percentage"), stated: try row.date("stated"))
  }
}
