extension Ledger {
  /// The name of the ledger's database system, such as `SQLite`, for messages to operators.
  public var databaseSystem: String { database.system }

  /// Checks that a purchase could be recorded, by durably writing one row, and by asking for the space and the rights that all
  /// other rows need.
  ///
  /// - Throws: ``LedgerDatabaseError``, for example if the disk is full.
  public func checkWritable() async throws {
    let now = clock.now
    _ = try await database.write(locking: []) { transaction in
      try transaction.execute(
        """
        INSERT INTO ledger_fact (name, value) VALUES ('writable', $1)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value
        """, now.description)
    }
    try await database.checkSpace()
    try await database.checkAccess()
  }
}
