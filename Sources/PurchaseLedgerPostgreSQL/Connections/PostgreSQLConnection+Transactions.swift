extension PostgreSQLConnection {
  /// Begins a transaction that writes. Nothing is sent yet: BEGIN and the request for the locks are sent together with
  /// the first statement.
  ///
  /// - Parameters:
  ///   - locks: the locks, in the order in which they are taken.
  ///   - waitsForLocks: whether to wait for locks that are not free, and for rows that others have changed. Otherwise,
  ///     the transaction fails if a lock is not free, or a row is not free for 100 ms: kind `locksTaken`.
  func beginWriting(locking locks: [AdvisoryLock], waitsForLocks: Bool = true) throws {
    failure = nil
    hasChangedRows = false
    waiting = [.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")]
    if !waitsForLocks { waiting.append(.text("SET LOCAL lock_timeout = 100")) }
    if !locks.isEmpty { try lockLater(locks, waitsForLocks: waitsForLocks) }
  }

  /// Takes the locks that are free, without waiting for the others. Returns those that are held now.
  func lockWithoutWaiting(_ locks: Set<AdvisoryLock>) throws -> Set<AdvisoryLock> {
    let answer = try run(AdvisoryLock.statementWithoutWaiting, [AdvisoryLock.argument(Array(locks))])
    let held = try answer.rows.filter { try $0.flag("held") }.map { AdvisoryLock(number: try $0.integer("number")) }
    return Set(held)
  }

  /// Begins a read-only transaction that sees one snapshot of the database. BEGIN is sent with the first statement.
  func beginReading() {
    failure = nil
    waiting = [.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]
  }

  /// Commits a transaction that writes. When this returns, all data that the transaction has written or read is
  /// durable: on this server and on its synchronous standbys, if there are any.
  ///
  /// - Throws: kind `notReplicated` if the server stopped waiting for its standbys. The transaction is then committed
  ///   on this server, but a standby that takes over may not have it.
  func commit() throws(PostgreSQLFailure) {
    if let failure { throw failure }
    // A repeated write may change no rows. PostgreSQL then waits for no standby, although the commit of the first
    // attempt may not have reached the standbys. A message in the write-ahead log makes this commit wait until they
    // have both commits.
    if !hasChangedRows { try sendWaiting() }
    if !hasChangedRows { try execute("SELECT pg_logical_emit_message(true, 'ledger', '')") }
    warnings.forget()
    // If a statement of the transaction failed, PostgreSQL answers COMMIT with a rollback, and reports no error.
    let answer = try execute("COMMIT").command
    guard answer == "COMMIT" else { throw PostgreSQLFailure(kind: .refused, reason: "COMMIT was answered \(answer)") }
    // If an operator has cancelled the wait for standbys, PostgreSQL sends a warning with the answer.
    if let warning = warnings.last {
      let failure = PostgreSQLFailure(kind: .notReplicated, reason: warning)
      self.failure = failure
      throw failure
    }
  }

  /// Ends a transaction that has changed nothing. It does not wait for the server's answer.
  func endReading() { end("COMMIT") }

  /// Rolls the transaction back. Messages that were not sent yet are dropped.
  func rollBack() { end("ROLLBACK") }

  private func end(_ command: String) {
    let isBegun = if case .begin? = waiting.first { false } else { true }
    waiting = []
    if isBegun { send(command) }
  }
}
