import PurchaseLedger
import StoreModel

/// Migrates a database's schema. If several servers do it at once, each migration is applied by only one of them.
struct SchemaMigrator: Sendable {
  private static let lock = AdvisoryLock.migrations

  let migrations: [LedgerSchema.Migration]
  let clock: any MachineClock

  /// Applies the missing migrations.
  ///
  /// - Throws: ``PostgreSQLFailure``; ``LedgerDatabaseError/newerSchema(_:)`` before anything is changed.
  func run(on connection: PostgreSQLConnection) throws {
    connection.failure = nil
    // If no migration is missing, neither the lock nor the privilege to change the schema is required.
    guard try !missing(connection).isEmpty else { return }
    try transaction(connection) {
      try connection.execute(
        "CREATE TABLE IF NOT EXISTS ledger_migration (name TEXT NOT NULL PRIMARY KEY, applied BIGINT NOT NULL)")
    }
    while try applyNext(connection) {}
  }

  /// Applies the next missing migration.
  ///
  /// - Returns: false if none was missing.
  private func applyNext(_ connection: PostgreSQLConnection) throws -> Bool {
    try transaction(connection) {
      guard let migration = try missing(connection).first else { return false }
      for statement in migration.statements { try connection.execute(statement) }
      _ = try connection.run(
        "INSERT INTO ledger_migration (name, applied) VALUES ($1, $2)",
        [.text(migration.name), .integer(clock.now.millisecondsSince1970)])
      return true
    }
  }

  private func missing(_ connection: PostgreSQLConnection) throws -> [LedgerSchema.Migration] {
    let table = try connection.execute("SELECT to_regclass('ledger_migration') IS NOT NULL").firstRow
    guard table == ["t"] else { return migrations }
    let rows = try connection.run("SELECT name FROM ledger_migration ORDER BY applied, name", []).rows
    let applied = try rows.map { try $0.text("name") }
    let known = Set(migrations.map(\.name))
    if let newer = applied.last(where: { !known.contains($0) }) { throw LedgerDatabaseError.newerSchema(newer) }
    return migrations.filter { !applied.contains($0.name) }
  }

  /// Runs `body` in a transaction without a timeout, which holds the lock for migrations.
  @discardableResult
  private func transaction<Value>(_ connection: PostgreSQLConnection, _ body: () throws -> Value) throws -> Value {
    do {
      try connection.execute(
        """
        BEGIN ISOLATION LEVEL READ COMMITTED; \
        SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0
        """)
      try connection.execute("SELECT pg_advisory_xact_lock(\(Self.lock.number))")
      let value = try body()
      try connection.commit()
      return value
    } catch {
      connection.rollBack()
      throw error
    }
  }
}
