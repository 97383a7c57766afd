extension PostgreSQLConnection {
  /// Begins a transaction that writes, and waits for its locks, in one message.
  ///
  /// - Parameter locks: in the order in which they are taken.
  func beginWriting(locking locks: [AdvisoryLock]) throws(PostgreSQLFailure) {
    failure = nil
    var sql = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    if !locks.isEmpty { sql += "; " + AdvisoryLock.statement(locks) }
    do throws(PostgreSQLFailure) {
      try execute(sql)
    } catch {
      failure = error.whileLocking
      throw error.whileLocking
    }
  }

  /// Begins a transaction that sees one state of the database.
  func beginReading() throws(PostgreSQLFailure) {
    failure = nil
    try execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  }

  /// What was written is durable when this returns.
  func commit() throws(PostgreSQLFailure) {
    if let failure { throw failure }
    // A transaction in which anything failed is undone by COMMIT, and that is no error to PostgreSQL.
    let answer = try execute("COMMIT").command
    guard answer == "COMMIT" else { throw PostgreSQLFailure(kind: .refused, reason: "COMMIT was answered \(answer)") }
  }

  /// Ends a transaction that has changed nothing. Nobody has to wait for that.
  func endReading() { send("COMMIT") }

  func rollBack() { send("ROLLBACK") }
}
