extension LedgerSchema {
  /// How far an operator's file of purchases was imported. The file is known by its SHA-256.
  static func imports(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE import_progress (
        app TEXT NOT NULL,
        digest TEXT NOT NULL,
        next_row BIGINT NOT NULL,
        started BIGINT NOT NULL,
        finished BIGINT,
        PRIMARY KEY (app, digest)
      )\(dialect.clustered)
      """
    ]
  }
}
