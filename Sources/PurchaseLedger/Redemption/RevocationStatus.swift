import StoreModel

/// The newest known revocation status of a purchase.
struct RevocationStatus: Hashable, Sendable {
  let isRevoked: Bool
  let date: StoreDate?
  /// The refunded part in thousandths of a percent; 0 if the purchase is not revoked.
  let percentage: Int64
  /// The date of the proof or answer in which the store stated this status.
  let stated: StoreDate
  /// The date of the one that stated the percentage; nil if none has, so that the refund counts as a full one.
  var percentageStated: StoreDate?

  /// Whether the customer loses the product and its files. After a partial refund of a consumable, its files can still
  /// be downloaded.
  func endsGoods(of type: ProductType) -> Bool { isRevoked && (type.lasts || percentage == 100_000) }
}

extension LedgerTransaction {
  /// Records a transaction's revocation status, unless a newer one is stored. Returns the newest status.
  ///
  /// Of two statuses with the same date, a refund is the newer one: legacy receipts have whole seconds, and a refund can
  /// be in the second of the purchase. A reversal always has a later date than its refund.
  ///
  /// A refund without a percentage counts as a full refund, unless another statement about the same refund has a percentage, also an
  /// older one that arrives later. Statements with the same revocation date are about the same refund; receipts have whole seconds.
  /// Of several percentages, the newest counts. So the result is the same in any order of the statements.
  ///
  /// The row is locked until this transaction ends, so other redemptions and revocations of the same purchase wait. To
  /// prevent deadlocks, each write locks its rows in ascending order of their ids.
  ///
  /// - Returns: the answer from which ``RevocationStatus/init(recorded:)`` reads the new status.
  func recordLater(
    _ revocation: ProvenPurchase.Revocation?, on key: PurchaseKey, stated: StoreDate, _ now: StoreDate
  ) throws -> PendingAnswer {
    let isNewer = """
      (excluded.stated > statement.stated OR excluded.stated = statement.stated AND excluded.revoked > statement.revoked)
      """
    // Servers of an earlier version, and migrations, leave `percentage_stated` empty. They assumed nothing but full refunds, so a
    // smaller part was stated. A full refund may have been stated, too; then no statement about it has another percentage.
    let percentageStated = """
      COALESCE(statement.percentage_stated, CASE WHEN statement.percentage < 100000 THEN statement.stated END)
      """
    let isSameRefund = """
      (excluded.revoked = 1 AND statement.revoked = 1 AND excluded.date / 1000 = statement.date / 1000)
      """
    // Whether what is stored about the percentage counts.
    let keepsPercentage = """
      (CASE
        WHEN \(isNewer) THEN excluded.percentage_stated IS NULL AND \(isSameRefund)
        ELSE excluded.percentage_stated IS NULL OR NOT COALESCE(\(isSameRefund), FALSE)
          OR COALESCE(\(percentageStated) >= excluded.percentage_stated, FALSE) END)
      """
    return try later(
      """
      INSERT INTO statement
        (app, environment, id, revoked, date, reason, percentage, stated, learnt, percentage_stated, cause)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      ON CONFLICT (app, environment, id) DO UPDATE SET
        revoked = CASE WHEN \(isNewer) THEN excluded.revoked ELSE statement.revoked END,
        date = CASE WHEN \(isNewer) THEN excluded.date ELSE statement.date END,
        reason = CASE WHEN \(isNewer) THEN excluded.reason ELSE statement.reason END,
        percentage = CASE WHEN \(keepsPercentage) THEN statement.percentage ELSE excluded.percentage END,
        percentage_stated = CASE WHEN \(keepsPercentage) THEN \(percentageStated) ELSE excluded.percentage_stated END,
        learnt = CASE WHEN \(isNewer) OR NOT \(keepsPercentage) THEN excluded.learnt ELSE statement.learnt END,
        cause = CASE WHEN \(isNewer) OR NOT \(keepsPercentage) THEN excluded.cause ELSE statement.cause END,
        stated = CASE WHEN \(isNewer) THEN excluded.stated ELSE statement.stated END
      RETURNING revoked, date, percentage, stated, percentage_stated
      """, key.app, key.environment, key.id, revocation != nil, revocation?.date, revocation?.reason,
      revocation.map { min(max($0.percentage ?? 100_000, 1), 100_000) } ?? 0, stated, now,
      revocation?.percentage == nil ? nil : stated, change?.cause)
  }

  /// Returns the stored status of a claim; nil if there is none. Its row in `statement` is locked until this transaction
  /// ends. For an auto-renewable subscription no row is locked: the caller must hold `LedgerLock.subscription`.
  func revocationStatus(of claim: Claim, _ now: StoreDate) throws -> RevocationStatus? {
    if claim.type == .autoRenewableSubscription { return try subscriptionStatus(on: claim.key, stated: now) }
    return try row(
      """
      UPDATE statement SET learnt = learnt WHERE app = $1 AND environment = $2 AND id = $3
      RETURNING revoked, date, percentage, stated, percentage_stated
      """, claim.key.app, claim.key.environment, claim.key.id
    ).map(RevocationStatus.init)
  }
}

extension LedgerTransaction {
  /// Returns the stored status of a purchase, without locking its row; nil if there is none. For an auto-renewable
  /// subscription, it is never nil: without a stored period, the status is revoked.
  func storedStatus(on key: PurchaseKey, _ type: ProductType, _ now: StoreDate) throws -> RevocationStatus? {
    if type == .autoRenewableSubscription { return try subscriptionStatus(on: key, stated: now) }
    return try row(
      """
      SELECT revoked, date, percentage, stated, percentage_stated FROM statement
      WHERE app = $1 AND environment = $2 AND id = $3
      """, key.app, key.environment, key.id
    ).map(RevocationStatus.init)
  }
}

extension RevocationStatus {
  init(recorded answer: PendingAnswer) throws {
    guard let row = try answer.row else {
      throw LedgerDatabaseError.unexpectedRow("a stored revocation status is missing")
    }
    try self.init(row)
  }

  fileprivate init(_ row: SQLRow) throws {
    self.init(
      isRevoked: try row.flag("revoked"), date: try row.optionalDate("date"),
      percentage: try row.integer("percentage"), stated: try row.date("stated"),
      percentageStated: try row.optionalDate("percentage_stated"))
  }
}
