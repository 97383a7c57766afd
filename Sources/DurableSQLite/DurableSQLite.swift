import Foundation
import GRDB

/// Opens SQLite databases whose commits survive a power cut, and which only one process has open.
///
/// Purchases, entitlements and credits are written only through a database opened here. It uses WAL with `synchronous =
/// FULL`, and a lock file beside it. The lock is held until the database is closed or the process ends, even if it
/// crashes.
public enum DurableSQLite {
  /// Opens or creates a database and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - url: the file; its folder is created if missing. Nil for a database in memory.
  ///   - migrator: the schema. A file with migrations unknown to it is refused.
  ///   - kind: a name of the schema, so that a database in memory is used again after it was closed. It is new for its user, but
  ///     made faster. Nil for a schema that is not opened often.
  /// - Throws: ``DurableSQLiteError``. The data of a file that is refused are not changed.
  public static func open(
    at url: URL?, migrator: DatabaseMigrator, reusedAs kind: String? = nil
  ) throws(DurableSQLiteError) -> DurableDatabase {
    guard let url else {
      do {
        if let kind {
          return DurableDatabase(
            try ReusedDatabases.shared.take(kind, migrator), path: ":memory:", reusedKind: kind)
        }
        let queue = try DatabaseQueue()
        try migrator.migrate(queue)
        return DurableDatabase(queue, path: ":memory:")
      } catch {
        throw .cannotOpen(path: ":memory:", reason: "\(error)")
      }
    }
    return try mapErrors(url) {
      try DurableFolder.make(url.deletingLastPathComponent())
      let lock = try FileLock(for: url)
      do {
        return DurableDatabase(try openOwned(url, migrator: migrator), path: url.path, lock: lock)
      } catch {
        lock.release()
        throw error
      }
    }
  }

  static func mapErrors<Value>(_ url: URL, _ body: () throws -> Value) throws(DurableSQLiteError) -> Value {
    do {
      return try body()
    } catch let error as DurableSQLiteError {
      throw error
    } catch let error as DatabaseError {
      switch error.resultCode {
      case .SQLITE_BUSY, .SQLITE_LOCKED: throw .inUse(path: url.path)
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: throw .damaged(path: url.path, reason: error.message ?? "\(error)")
      default: throw .cannotOpen(path: url.path, reason: error.message ?? "\(error)")
      }
    } catch {
      throw .cannotOpen(path: url.path, reason: error.localizedDescription)
    }
  }

  static func openOwned(_ url: URL, migrator: DatabaseMigrator) throws -> DatabaseQueue {
    // Creates a missing file with mode 0600 before SQLite opens it, so that no other user can ever read it. SQLite
    // gives its other files the same mode.
    close(Foundation.open(url.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    try DurableFolder.settle(url)
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.namingReadFaults { database in
        // Exclusive mode is set before WAL, so that SQLite keeps the WAL index in this process's memory.
        try database.execute(sql: "PRAGMA locking_mode = EXCLUSIVE")
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try database.execute(sql: "PRAGMA synchronous = FULL")
      }
    }
    let queue = try DatabaseQueue(path: url.path, configuration: configuration)
    do {
      try prepare(queue, of: url, migrator)
      return queue
    } catch let error as DatabaseError {
      throw queue.unsafeRead { $0.namingReadFault(error) }
    }
  }

  private static func prepare(_ queue: DatabaseQueue, of url: URL, _ migrator: DatabaseMigrator) throws {
    let (hasUnknownMigrations, synchronous) = try queue.read { database in
      (try migrator.hasBeenSuperseded(database), try Int.fetchOne(database, sql: "PRAGMA synchronous"))
    }
    if hasUnknownMigrations { throw DurableSQLiteError.newerVersion(path: url.path) }
    guard synchronous == 2 else {
      throw DurableSQLiteError.cannotOpen(path: url.path, reason: "SQLite does not sync every commit")
    }
    try migrator.migrate(queue)
    // SQLite keeps the earlier content of changed pages, to be able to undo a savepoint. In a temporary file, this would
    // cost two system calls for each page. It is set after the migrations, because they may sort millions of rows for an
    // index, which would take too much memory.
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA temp_store = MEMORY") }
  }
}
