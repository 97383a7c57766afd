import CPQ
import PurchaseLedger

/// The PostgreSQL server of a ledger, and how it is used. Descriptions do not reveal the password.
public struct PostgreSQLConfiguration: Sendable {
  let connectionString: String

  /// The maximum number of connections, 1 or more. Each runs one transaction at a time.
  public var poolSize = 10
  /// The maximum number of reads and writes that wait for a connection, and of writes that wait to share a transaction.
  /// Further ones are refused with ``LedgerDatabaseError/overloaded``.
  public var waitingLimit = 1_000
  /// The timeout for opening a connection, in seconds, for each host; 1 or more. libpq uses at least 2.
  public var connectTimeoutSeconds = 5
  /// The timeout of a statement, and of waiting for a transaction's locks, in milliseconds; 0 for no limit. The server also ends
  /// a transaction that is idle for this long.
  public var statementTimeoutMilliseconds = 10_000
  /// Whether a server with `fsync = off` is accepted. Such a server can lose commits or the whole database in a power
  /// cut. Set this property to true in tests only.
  public var acceptsServerWithoutFsync = false

  /// - Parameter connectionString: a URI (`postgresql://user@host/database`) or `key=value` pairs (PostgreSQL's documentation,
  ///   "Connection Strings"). Missing settings come from libpq's environment variables (`PGHOST`, `PGPASSWORD` …) and password
  ///   file.
  /// - Throws: ``LedgerDatabaseError/unavailable(reason:)`` if the string is neither;
  ///   ``LedgerDatabaseError/noClientLibrary(reason:)`` if libpq cannot be loaded.
  public init(connectionString: String) throws(LedgerDatabaseError) {
    try Self.loadClientLibrary()
    guard ConnectionString.parts(of: connectionString) != nil else {
      throw .unavailable(
        reason: "the connection string is neither a URI (postgresql://user@host/database) nor key=value pairs of libpq")
    }
    self.connectionString = connectionString
  }

  /// Loads libpq, version 14 or later, when the first ledger in PostgreSQL is configured. So programs with ledgers in SQLite
  /// files need not have it.
  ///
  /// - Throws: ``LedgerDatabaseError/noClientLibrary(reason:)``. Another attempt in the same process fails, too.
  private static func loadClientLibrary() throws(LedgerDatabaseError) {
    guard let reason = CPQ_load() else { return }
    throw .noClientLibrary(
      reason:
        "libpq, PostgreSQL's client library, cannot be loaded (\(String(cString: reason))). Install version 14 or later: the "
        + "package libpq5 (Debian, Ubuntu) or libpq (Fedora, Homebrew).")
  }

  func check() throws(LedgerDatabaseError) {
    guard poolSize >= 1 else { throw .failed(reason: "the pool size is \(poolSize); it must be 1 or more") }
    guard waitingLimit >= 0 else { throw .failed(reason: "the waiting limit is \(waitingLimit); it must be 0 or more") }
    guard connectTimeoutSeconds >= 1 else {
      throw .failed(reason: "the connect timeout is \(connectTimeoutSeconds) seconds; it must be 1 or more")
    }
    guard 0...Int(Int32.max) ~= statementTimeoutMilliseconds else {
      throw .failed(
        reason: "the statement timeout is \(statementTimeoutMilliseconds) milliseconds; it must be 0 to \(Int32.max)")
    }
  }
}

extension PostgreSQLConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The connection string's settings (host, database, user …) without secrets.
  public var description: String {
    let parts = ConnectionString.parts(of: connectionString) ?? []
    return (["PostgreSQL"] + parts.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
  }

  public var debugDescription: String { description }

  /// Contains only ``description``, so that `dump` reveals no secrets either.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
