/// The differences between the SQL of the two databases.
public enum SQLDialect: Sendable {
  case sqlite
  case postgreSQL

  /// The suffix of CREATE TABLE that stores rows in the order of their primary key, if the database supports it.
  var clustered: String { self == .sqlite ? " WITHOUT ROWID" : "" }

  /// The column type for bytes.
  var bytes: String { self == .sqlite ? "BLOB" : "BYTEA" }

  /// An expression that shows UNIX milliseconds as a readable date.
  func date(_ column: String) -> String {
    switch self {
    case .sqlite: "strftime('%Y-%m-%dT%H:%M:%fZ', \(column) / 1000.0, 'unixepoch')"
    case .postgreSQL: "to_timestamp(\(column) / 1000.0)"
    }
  }

  /// An expression whose value differs between a database and its copies, as far as the database engine can distinguish them.
  ///
  /// In PostgreSQL, the value consists of the cluster, its timeline (a failover or a point-in-time recovery changes
  /// it), the database, and the table (`pg_restore` creates another one). SQLite has no such value;
  /// ``SQLiteLedgerDatabase/backUp(to:)`` marks its copies instead.
  var copyIdentity: String {
    switch self {
    case .sqlite: "''"
    case .postgreSQL:
      """
      (SELECT system_identifier FROM pg_control_system())::text || '/' || \
      substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) || '/' || \
      (SELECT oid FROM pg_database WHERE datname = current_database())::text || '/' || \
      to_regclass('ledger_fact')::oid::text
      """
    }
  }

  /// An expression for an integer sum. PostgreSQL's SUM of BIGINT is NUMERIC and needs a cast.
  func sum(_ expression: String) -> String { "CAST(SUM(\(expression)) AS BIGINT)" }
}
