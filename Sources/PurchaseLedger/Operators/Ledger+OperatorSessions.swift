import StoreModel

extension Ledger {
  /// The time after which a session ends by itself: 12 hours, in milliseconds.
  static let sessionMilliseconds: Int64 = 12 * 3_600_000
  /// The maximum number of sessions of a key. Above it, the oldest session ends.
  static let sessionsOfKey = 16

  /// Begins a session of a browser whose user has given an operator's key. The session ends with its key.
  ///
  /// - Returns: the session's token. ``authenticateOperator(_:)`` accepts it as it accepts the key.
  /// - Throws: ``LedgerError/unknownOperatorKey``.
  public func beginOperatorSession(_ key: BearerToken) async throws -> BearerToken {
    let (session, now, hash) = (BearerToken.make("session"), clock.now, key.hash)
    try await database.write(locking: [.operatorKeys]) { transaction in
      guard
        let row = try transaction.row("SELECT id FROM operator_key WHERE hash = $1 AND revoked IS NULL", hash)
      else { throw LedgerError.unknownOperatorKey }
      let id = try row.text("id")
      try transaction.execute("DELETE FROM operator_session WHERE operator_key = $1 AND expires <= $2", id, now)
      try transaction.execute(
        """
        DELETE FROM operator_session WHERE hash IN (
          SELECT hash FROM operator_session WHERE operator_key = $1 ORDER BY begun DESC, hash LIMIT 1000 OFFSET $2
        )
        """, id, Self.sessionsOfKey - 1)
      try transaction.execute(
        "INSERT INTO operator_session (hash, operator_key, begun, expires) VALUES ($1, $2, $3, $4)", session.hash, id,
        now, now.adding(milliseconds: Self.sessionMilliseconds))
    }
    return session
  }

  /// Ends a session. A repeated call changes nothing.
  public func endOperatorSession(_ session: BearerToken) async throws {
    let hash = session.hash
    try await database.write(locking: []) { transaction in
      _ = try transaction.execute("DELETE FROM operator_session WHERE hash = $1", hash)
    }
  }
}
