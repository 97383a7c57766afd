import Foundation
import StoreModel

/// A PostgreSQL server of this process's own: a folder and a socket in it, no port. It ends with the process, however
/// that ends.
///
/// A shell holds it: it starts the server, and stops and removes it when its standard input ends. The other end of that
/// pipe is this process's alone. As root, all of that runs as the user `postgres`.
public final class PrivatePostgreSQL: Sendable {
  /// Started by the first test that needs it.
  public static let shared = Result { try PrivatePostgreSQL() }

  private let keeper: ServerShell
  /// Counts the databases, so that each name is used once.
  private let databases = LockedValue(0)

  /// Starts a server of one's own, for tests that stop it. The others use ``shared``.
  ///
  /// - Parameter isReplicated: whether a standby can be added.
  public init(isReplicated: Bool = false) throws { keeper = try ServerShell(isReplicated: isReplicated) }

  // MARK: A standby

  /// Starts a second server that receives what this one commits.
  public func addStandby() throws { try keeper.ask("add-standby") }

  public func stopStandby() throws { try keeper.ask("stop-standby") }

  /// Ends this server as a power cut does, and has the standby take over, which is started if it was stopped.
  public func failOver() throws { try keeper.ask("fail-over") }

  /// Whichever of the two servers takes writes.
  public func failoverConnectionString(database: String) -> String {
    "host=\(folder),\(folder)/standby user=postgres dbname=\(database)"
  }

  /// Where the standby listens.
  public func standbyConnectionString(database: String) -> String {
    "host=\(folder)/standby user=postgres dbname=\(database)"
  }

  /// Stops the server as an operator does, which ends all connections, and starts it again.
  public func restart() throws { try keeper.ask("restart") }

  /// Has `pg_restore` fill a database, which must be empty, with what `pg_dump` says of another.
  public func restoreDump(of database: String, into copy: String) throws { try keeper.ask("copy \(database) \(copy)") }

  /// Where it is: the folder of its socket.
  public var folder: String { keeper.folder }

  /// Calls `body` with the connection string of an empty database, which is removed afterwards.
  @discardableResult
  public func withDatabase<Value>(_ body: (_ connectionString: String) async throws -> Value) async throws -> Value {
    let name = nextName()
    try run("CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
    defer { _ = try? run("DROP DATABASE \(name) WITH (FORCE)") }
    return try await body(connectionString(database: name))
  }

  public func connectionString(database: String) -> String { "host=\(folder) user=postgres dbname=\(database)" }

  /// Runs statements as the superuser, beside whatever is tested.
  ///
  /// - Returns: the rows of the last one, as texts.
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
