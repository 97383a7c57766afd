/// The few words in which the databases differ.
public enum SQLDialect: Sendable {
  case sqlite
  case postgreSQL

  /// After the columns of a table whose rows lie in the order of their primary key.
  var clustered: String { self == .sqlite ? " WITHOUT ROWID" : "" }

  /// A byte string's type.
  var bytes: String { self == .sqlite ? "BLOB" : "BYTEA" }

  /// UNIX milliseconds as a date for people to read.
  func date(_ column: String) -> String {
    switch self {
    case .sqlite: "strftime('%Y-%m-%dT%H:%M:%fZ', \(column) / 1000.0, 'unixepoch')"
    case .postgreSQL: "to_timestamp(\(column) / 1000.0)"
    }
  }

  /// Text that a copy of the database does not share with it, as far as the engine tells them apart.
  ///
  /// PostgreSQL: the cluster, its timeline (which a failover and a recovery to a point in time change), the database and
  /// the table (which `pg_restore` creates anew). SQLite cannot tell; ``SQLiteLedgerDatabase/backUp(to:)`` marks its copies.
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

  /// A sum as a whole number; PostgreSQL's sums of BIGINT are NUMERIC.
  func sum(_ expression: String) -> String { "CAST(SUM(\(expression)) AS BIGINT)" }
}
