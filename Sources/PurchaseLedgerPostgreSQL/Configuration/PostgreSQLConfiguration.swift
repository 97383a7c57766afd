import PurchaseLedger

/// Which PostgreSQL keeps the ledger, and how it is used. The password is in no description of it.
public struct PostgreSQLConfiguration: Sendable {
  let connectionString: String

  /// How many connections are opened at most, 1 or more. Each does one transaction at a time.
  public var poolSize = 10
  /// How many reads and writes may wait for a connection; the next one is refused with
  /// ``LedgerDatabaseError/overloaded``.
  public var waitingLimit = 1_000
  /// How long the opening of a connection may take, in seconds, for each host named; libpq takes 2 for less.
  public var connectTimeoutSeconds = 5
  /// How long a statement, or waiting for a transaction's locks, may take, in milliseconds; 0 is no limit. A transaction
  /// that is silent for as long is ended by the server.
  public var statementTimeoutMilliseconds = 10_000
  /// Accepts a server that runs with `fsync = off`, which loses commits, or everything, in a power cut. For tests.
  public var acceptsServerWithoutFsync = false

  /// - Parameter connectionString: as libpq reads it (PostgreSQL's documentation, "Connection Strings"): a URI
  ///   (`postgresql://user@host/database`) or `key=value` pairs. What it does not say comes from libpq's environment
  ///   (`PGHOST`, `PGPASSWORD` …) and password file.
  /// - Throws: ``LedgerDatabaseError/unavailable(reason:)`` if it is neither.
  public init(connectionString: String) throws(LedgerDatabaseError) {
    guard ConnectionString.parts(of: connectionString) != nil else {
      throw .unavailable(
        reason: "the connection string is neither a URI (postgresql://user@host/database) nor key=value pairs of libpq")
    }
    self.connectionString = connectionString
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
  /// Host, database, user and the like, without secrets.
  public var description: String {
    let parts = ConnectionString.parts(of: connectionString) ?? []
    return (["PostgreSQL"] + parts.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
  }

  public var debugDescription: String { description }

  /// Shows what ``description`` says, so that `dump` shows no secrets either.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
