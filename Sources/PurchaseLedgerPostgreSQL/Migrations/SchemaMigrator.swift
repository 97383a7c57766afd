import PurchaseLedger
import StoreModel

/// Brings a database's schema up to date. Of several servers that do it at once, one applies a migration and the others
/// find it applied.
struct SchemaMigrator: Sendable {
  private static let lock = AdvisoryLock.migrations

  let migrations: [LedgerSchema.Migration]
  let clock: any MachineClock

  /// - Throws: ``PostgreSQLFailure``; ``LedgerDatabaseError/newerSchema(_:)`` before anything is changed.
  func run(on connection: PostgreSQLConnection) throws {
    connection.failure = nil
    // Where nothing is missing, no lock is taken, and the right to change the schema is not needed.
    guard try !missing(connection).isEmpty else { return }
    try transaction(connection) {
      try connection.execute(
        "CREATE TABLE IF NOT EXISTS ledger_migration (name TEXT NOT NULL PRIMARY KEY, applied BIGINT NOT NULL)")
    }
    while try applyNext(connection) {}
  }

  /// - Returns: whether there was one left.
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

  /// A transaction that may take its time, and has the schema for itself.
  @discardableResult
  private func transaction<Value>(_ connection: PostgreSQLConnection, _ body: () throws -> Value) throws -> Value {
    do {
      try connection.execute(
        """
        BEGIN ISOLATION LEVEL READ COMMITTED; \
        SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0
        """)
      try connection.execute(AdvisoryLock.statement([Self.lock]))
      let value = try body()
      try connection.commit()
      return value
    } catch {
      connection.rollBack()
      throw error
    }
  }
}
