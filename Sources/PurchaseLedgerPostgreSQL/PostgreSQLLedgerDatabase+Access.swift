import PurchaseLedger

extension PostgreSQLLedgerDatabase {
  /// Asks for the tables that do not exist, or in which the user may not read and insert rows. A single write does not show a
  /// revoked right to another table.
  public func checkAccess() async throws {
    let names = LedgerSchema.tableNames(.postgreSQL).joined(separator: " ")
    let missing = try await read { transaction in
      try transaction.rows(
        """
        SELECT name FROM unnest(string_to_array($1, ' ')) AS name
        WHERE to_regclass(name) IS NULL OR NOT has_table_privilege(to_regclass(name), 'SELECT')
          OR NOT has_table_privilege(to_regclass(name), 'INSERT')
        ORDER BY name
        """, names
      ).map { try $0.text("name") }
    }
    guard missing.isEmpty else {
      throw LedgerDatabaseError.notUsable(
        reason: "the user may not read and insert rows in \(missing.joined(separator: ", ")), or they do not exist")
    }
  }
}
