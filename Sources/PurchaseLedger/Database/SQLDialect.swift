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

  /// A sum as a whole number; PostgreSQL's sums of BIGINT are NUMERIC.
  func sum(_ expression: String) -> String { "CAST(SUM(\(expression)) AS BIGINT)" }
}
