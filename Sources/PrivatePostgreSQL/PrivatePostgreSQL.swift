import Foundation
import StoreModel

/// A temporary PostgreSQL server for tests. It listens on a socket in a temporary folder, and on no port.
///
/// A shell process starts the server. When the standard input of the shell ends, the shell stops and removes the
/// server. The standard input is a pipe, and only this process has its other end. So the server ends with this process,
/// even after a crash.
/// If this process runs as root, the shell and the server run as the user `postgres`.
public final class PrivatePostgreSQL: Sendable {
  /// The server that tests share. It is started at its first use.
  public static let shared = Result { try PrivatePostgreSQL() }

  private let shell: ServerShell
  /// Counts the databases, so that each name is used once.
  private let databases = LockedValue(0)

  /// Starts a separate server, for tests that stop or replace their server. Other tests use ``shared``.
  ///
  /// - Parameter isReplicated: whether a standby can be added.
  public init(isReplicated: Bool = false) throws { shell = try ServerShell(isReplicated: isReplicated) }

  // MARK: A standby

  /// Starts a standby server, which replicates the commits of this server.
  public func addStandby() throws { try shell.send("add-standby") }

  public func stopStandby() throws { try shell.send("stop-standby") }

  /// Stops this server as in a crash, and promotes the standby. The standby is started first if it was stopped.
  public func failOver() throws { try shell.send("fail-over") }

  /// Returns a connection string with both servers. A ledger uses the one that accepts writes.
  public func failoverConnectionString(database: String) -> String {
    "host=\(folder),\(folder)/standby user=postgres dbname=\(database)"
  }

  /// Returns the connection string of a database on the standby.
  public func standbyConnectionString(database: String) -> String {
    "host=\(folder)/standby user=postgres dbname=\(database)"
  }

  /// Restarts the server, which ends all connections.
  public func restart() throws { try shell.send("restart") }

  /// Copies a database into an empty one, with `pg_dump` and `pg_restore`.
  public func restoreDump(of database: String, into copy: String) throws { try shell.send("copy \(database) \(copy)") }

  /// The folder of the server and its socket.
  public var folder: String { shell.folder }

  /// Calls `body` with the connection string of an empty database, which is removed afterwards.
  @discardableResult
  public func withDatabase<Value>(_ body: (_ connectionString: String) async throws -> Value) async throws -> Value {
    let name = nextName()
    try run("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
    defer { _ = try? run("DROP DATABASE \(name) WITH (FORCE)") }
    return try await body(connectionString(database: name))
  }

  public func connectionString(database: String) -> String { "host=\(folder) user=postgres dbname=\(database)" }

  /// Runs statements as the superuser, on a connection of its own.
  ///
  /// - Returns: the rows of the last statement, as texts.
  @discardableResult
  public func run(_ sql: String, database: String = "postgres") throws -> [[String?]] {
    try PlainConnection(connectionString(database: database)).run(sql)
  }

  private func nextName() -> String {
    databases.withLock { databases in
      databases += 1
      return "ledger_\(databases)"
    }
  }
}

/// Thrown when a test server cannot be started, or refuses a command.
public enum PrivatePostgreSQLError: DescribedError {
  /// PostgreSQL is neither in Debian's folder nor in `PATH`.
  case notInstalled
  case noClientLibrary(String)
  case notStarted(String)
  case refused(String)

  public var description: String {
    switch self {
    case .notInstalled: "PostgreSQL's server is not installed: apt-get install postgresql (or make system)"
    case .noClientLibrary(let reason): "libpq is not installed (\(reason)): apt-get install libpq5 (or make system)"
    case .notStarted(let reason): "A PostgreSQL server could not be started: \(reason)"
    case .refused(let reason): "PostgreSQL refused: \(reason)"
    }
  }
}
