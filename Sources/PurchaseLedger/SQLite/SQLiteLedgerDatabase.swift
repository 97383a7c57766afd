import DurableSQLite
import Foundation
import GRDB

/// A ledger in one SQLite file, which one process owns.
///
/// Writes run one after the other. Writes that arrive during a commit wait and then share the next commit, because a sync
/// costs the same for one write as for hundreds.
public final class SQLiteLedgerDatabase: LedgerDatabase {
  private let database: DurableDatabase
  private let texts = StatementTexts()
  private let commits: CommitQueue

  /// Opens or creates a ledger's database, and migrates its schema.
  ///
  /// - Parameters:
  ///   - url: the file; nil for a database in memory.
  ///   - waitingWrites: the maximum number of waiting writes. Further ones are refused with ``LedgerDatabaseError/overloaded``.
  /// - Throws: `DurableSQLiteError`.
  public convenience init(at url: URL?, waitingWrites: Int = 10_000) throws(DurableSQLiteError) {
    try self.init(at: url, waitingWrites: waitingWrites, migrations: LedgerSchema.migrations(.sqlite))
  }

  /// - Parameter prepare: called with the connection. Tests watch its statements.
  init(
    at url: URL?, waitingWrites: Int = 10_000, migrations: [LedgerSchema.Migration],
    prepare: (Database) -> Void = { _ in }
  ) throws(DurableSQLiteError) {
    var migrator = DatabaseMigrator()
    for migration in migrations {
      migrator.registerMigration(migration.name) { database in
        for statement in migration.statements { try database.execute(sql: statement) }
      }
    }
    database = try DurableSQLite.open(at: url, migrator: migrator)
    do {
      // In a ledger with millions of customers, each customer's rows are on different pages. So the page cache (64 MiB)
      // is larger than SQLite's default. Checkpoints are rarer than by default (every 32 MiB): a page that is written
      // several times between two checkpoints is copied to the database only once.
      try database.read {
        try $0.execute(sql: "PRAGMA cache_size = -65536")
        _ = try Int.fetchOne($0, sql: "PRAGMA wal_autocheckpoint = 8192")
        prepare($0)
      }
    } catch {
      throw .cannotOpen(path: url?.path ?? ":memory:", reason: "\(error)")
    }
    commits = CommitQueue(
      database, file: url.flatMap { LedgerFile(at: $0.path) }, texts: texts, waitingWrites: waitingWrites)
  }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await LedgerDatabaseError.mapping { [texts] in
      try await TransactionCancellation.run { cancellation in
        try await self.database.read {
          try body(LedgerTransaction(SQLiteConnection($0, texts: texts), cancellation: cancellation))
        }
      }
    }
  }

  public func write<Value: Sendable>(
    locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await LedgerDatabaseError.mapping { try await self.commits.add(body) }
  }

  public var system: String { "SQLite" }

  public func close() async throws {
    await commits.drain()
    try database.close()
  }

  /// Writes a copy of the ledger's current state to a file, while the ledger is in use. The copy is a complete backup, and gets
  /// an incarnation of its own when it is opened (``Ledger/incarnation()``).
  ///
  /// - Parameter url: the file, which must not exist yet.
  /// - Throws: `DurableSQLiteError`, ``LedgerDatabaseError``.
  public func backUp(to url: URL) async throws {
    try await LedgerDatabaseError.mapping {
      try await self.database.copy(to: url) { copy in
        try copy.execute(sql: "DELETE FROM ledger_fact WHERE name = 'incarnation'")
      }
    }
  }
}

extension LedgerDatabaseError {
  /// Converts errors of GRDB and DurableSQLite to ``LedgerDatabaseError``. Other errors are thrown unchanged.
  static func mapping<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch DurableSQLiteError.closed {
      throw LedgerDatabaseError.closed
    } catch let error as DatabaseError {
      // The arguments are left out, because they may be secret.
      let reason = "\(error.message ?? "no reason given") (\(error.extendedResultCode))"
      throw error.isOfStorage ? LedgerDatabaseError.full(reason: reason) : .failed(reason: reason)
    }
  }
}

extension SQLiteLedgerDatabase {
  /// The free space that the write-ahead log needs for a burst of purchases, in bytes.
  static let spaceNeeded: UInt64 = 1 << 20

  public func checkSpace() async throws {
    let path = try await read { try $0.row("PRAGMA database_list")?.optionalText("file") ?? "" }
    // A database in memory has no file.
    guard !path.isEmpty else { return }
    var status = statvfs()
    // Some file systems do not report their size. Then only the write in `Ledger.checkWritable()` shows that there is
    // space.
    guard statvfs(path, &status) == 0, status.f_blocks > 0 else { return }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    guard free >= Self.spaceNeeded else {
      throw LedgerDatabaseError.full(reason: "only \(free) bytes are free where the ledger is; make room")
    }
  }
}
