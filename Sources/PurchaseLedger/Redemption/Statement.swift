import StoreModel

/// The newest that the store has said on whether a transaction stands.
struct Statement: Hashable, Sendable {
  let isRevoked: Bool
  let date: StoreDate?
  /// How much of it was taken back, in thousandths of a percent; 0 if it stands.
  let percentage: Int64
  /// When the store said so.
  let stated: StoreDate

  /// Whether nothing is left of what was bought: a consumable's refund may be of a part, and leaves its files.
  func endsGoods(of type: ProductType) -> Bool { isRevoked && (type.lasts || percentage == 100_000) }
}

extension LedgerTransaction {
  /// Takes down what the store says of a transaction, unless something newer is known, and gives what is known then.
  ///
  /// A refund that does not say of how much is of all, unless that was known before.
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
        percentage = CASE
          WHEN excluded.stated <= statement.stated THEN statement.percentage
          WHEN $10 = 0 AND excluded.revoked = 1 AND statement.revoked = 1 THEN statement.percentage
          ELSE excluded.percentage END,
        learnt = CASE WHEN excluded.stated > statement.stated THEN excluded.learnt ELSE statement.learnt END,
        stated = CASE WHEN excluded.stated > statement.stated THEN excluded.stated ELSE statement.stated END
      RETURNING revoked, date, percentage, stated
      """, key.app, key.environment, key.id, revocation != nil, revocation?.date, revocation?.reason,
      revocation.map { min(max($0.percentage ?? 100_000, 1), 100_000) } ?? 0, stated, now,
      revocation?.percentage != nil)
    guard let row else { throw LedgerDatabaseError.unexpectedRow("a statement that was written is not there") }
    return try Statement(row)
  }

  /// Takes down what a proof says of a purchase: of an auto-renewable subscription, of all its periods.
  func take(
    _ purchases: [ProvenPurchase], of type: ProductType, on claim: PurchaseKey, stated: StoreDate, _ now: StoreDate
  ) throws -> Statement {
    guard type == .autoRenewableSubscription else {
      return try take(purchases.newest?.revocation, on: claim, stated: stated, now)
    }
    return try take(periods: purchases, of: claim, stated: stated, now)
  }

  /// What is known of what was claimed. Its row is locked until this transaction ends; of a subscription, the lock of its
  /// periods is.
  func statement(of claim: Claim, _ now: StoreDate) throws -> Statement? {
    if claim.type == .autoRenewableSubscription { return try periodStatement(on: claim.key, stated: now) }
    return try row(
      """
      UPDATE statement SET learnt = learnt WHERE app = $1 AND environment = $2 AND id = $3
      RETURNING revoked, date, percentage, stated
      """, claim.key.app, claim.key.environment, claim.key.id
    ).map(Statement.init)
  }
}

extension Statement {
  fileprivate init(_ row: SQLRow) throws {
    self.init(
      isRevoked: try row.flag("revoked"), date: try row.optionalDate("date"),
      percentage: try row.integer("percentage"), stated: try row.date("stated"))
  }
}
