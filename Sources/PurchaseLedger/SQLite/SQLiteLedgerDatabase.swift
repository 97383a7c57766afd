import DurableSQLite
import Foundation
import GRDB

/// A ledger in one SQLite file, owned by one process.
///
/// Writes run one after the other. Those that come while others are being committed wait and then share a commit: a
/// sync costs the same for one as for hundreds.
public final class SQLiteLedgerDatabase: LedgerDatabase {
  private let database: DurableDatabase
  private let texts = StatementTexts()
  private let commits: CommitQueue

  /// Opens or creates a ledger's database, and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - url: the file; nil for memory.
  ///   - waitingWrites: how many writes may wait; further ones are refused.
  /// - Throws: `DurableSQLiteError`.
  public convenience init(at url: URL?, waitingWrites: Int = 10_000) throws(DurableSQLiteError) {
    try self.init(at: url, waitingWrites: waitingWrites, migrations: LedgerSchema.migrations(.sqlite))
  }

  init(
    at url: URL?, waitingWrites: Int = 10_000, migrations: [LedgerSchema.Migration]
  ) throws(DurableSQLiteError) {
    var migrator = DatabaseMigrator()
    for migration in migrations {
      migrator.registerMigration(migration.name) { database in
        for statement in migration.statements { try database.execute(sql: statement) }
      }
    }
    database = try DurableSQLite.open(at: url, migrator: migrator)
    do {
      // In a ledger of millions each customer's rows are on pages of their own: more of them are kept at hand (64 MiB),
      // and moved from the write-ahead log to their places less often (32 MiB), so that one written twice is moved once.
      try database.read {
        try $0.execute(sql: "PRAGMA cache_size = -65536")
        _ = try Int.fetchOne($0, sql: "PRAGMA wal_autocheckpoint = 8192")
      }
    } catch {
      throw .cannotOpen(path: url?.path ?? ":memory:", reason: "\(error)")
    }
    commits = CommitQueue(database, texts: texts, waitingWrites: waitingWrites)
  }

  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await LedgerDatabaseError.mapping { [texts] in
      try await self.database.read { try body(LedgerTransaction(SQLiteConnection($0, texts: texts))) }
    }
  }

  public func write<Value: Sendable>(
    locking locks: Set<LedgerLock>, _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    try await LedgerDatabaseError.mapping { try await self.commits.add(body) }
  }

  public func close() async throws {
    await commits.drain()
    try database.close()
  }

  /// Writes a copy of the ledger as it is now to a file, while it is in use: a backup. The copy needs no other file, and
  /// begins an incarnation of its own when it is opened (``Ledger/incarnation()``).
  ///
  /// - Parameter url: must not exist yet.
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
  /// Gives GRDB's and DurableSQLite's errors as errors of a ledger's database; what else is thrown goes through.
  static func mapping<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch DurableSQLiteError.closed {
      throw LedgerDatabaseError.closed
    } catch let error as DatabaseError {
      // Without the arguments, which may be secret.
      throw LedgerDatabaseError.failed(reason: "\(error.message ?? "no reason given") (\(error.extendedResultCode))")
    }
  }
}
