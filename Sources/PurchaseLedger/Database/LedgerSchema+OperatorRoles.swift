extension LedgerSchema {
  /// The roles of operators' keys, and the sessions of operators' browsers.
  ///
  /// Existing keys could do everything, so they become `admin`. Servers of an earlier version write no role: a key that they
  /// create is one of theirs, and can do everything.
  static func operatorRoles(_ dialect: SQLDialect) -> [String] {
    [
      "ALTER TABLE operator_key ADD COLUMN role TEXT NOT NULL DEFAULT 'admin'",
      "CREATE INDEX operator_key_role ON operator_key (role) WHERE revoked IS NULL",
      """
      CREATE TABLE operator_session (
        hash TEXT NOT NULL PRIMARY KEY,
        operator_key TEXT NOT NULL REFERENCES operator_key (id),
        begun BIGINT NOT NULL,
        expires BIGINT NOT NULL
      )\(dialect.clustered)
      """,
      "CREATE INDEX operator_session_key ON operator_session (operator_key, begun)",
    ]
  }
}
