import Foundation
import GRDB
import PurchaseLedger
import PurchaseLedgerPostgreSQL

/// Measures redemptions into ledgers that already have many purchases.
///
/// PostgreSQL is measured if `POSTGRESQL` has a connection string. Its tables are emptied before each size.
enum LedgerScaleBenchmarks {
  private typealias Desk = LedgerBenchmarks.Desk

  /// - Parameter sizes: the numbers of purchases.
  static func run(_ sizes: [Int]) async throws {
    print("\nRedeeming with many purchases in the ledger, 64 clients")
    print("                 purchases    per second    median µs      p99 µs   beside the first   MiB on disk")
    try await measure("SQLite", sizes, onSQLite)
    if let connection = ProcessInfo.processInfo.environment["POSTGRESQL"] {
      try await measure("PostgreSQL", sizes) { try await onPostgreSQL(connection, $0) }
    }
  }

  private static func measure(
    _ name: String, _ sizes: [Int], _ redeem: (Int) async throws -> (run: LedgerBenchmarks.Run, bytes: Int64)
  ) async throws {
    var first: Double?
    for size in sizes {
      let (run, bytes) = try await redeem(size)
      let ratio = run.perSecond / (first ?? run.perSecond)
      first = first ?? run.perSecond
      print(
        name.padding(toLength: 14, withPad: " ", startingAt: 0)
          + String(
            format: "%12ld%14.0f%13.0f%12.0f%17.2f ×%14lld", size, run.perSecond, run.median, run.percentile99, ratio,
            bytes >> 20))
    }
  }

  private static func onSQLite(_ size: Int) async throws -> (LedgerBenchmarks.Run, Int64) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-benchmark-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "ledger.sqlite")
    try await SQLiteLedgerDatabase(at: file).close()
    let queue = try DatabaseQueue(path: file.path)
    try await queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -400000")
      try database.inTransaction {
        try database.execute(
          sql: rows(
            from:
              "(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < \(size)) SELECT i FROM n)",
            customer: "printf('%08x-0000-4000-8000-%012x', (i / 10 * 2654435761) % 4294967296, i / 10)"))
        return .commit
      }
    }
    try queue.close()
    // Otherwise, the disk would still write these rows during the measurement.
    sync()
    let database = try SQLiteLedgerDatabase(at: file)
    let run = try await Desk(database, count: 12_800).redeem(clients: 64)
    try await database.close()
    let bytes = (try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int64) ?? 0
    return (run, bytes)
  }

  private static func onPostgreSQL(_ connection: String, _ size: Int) async throws -> (LedgerBenchmarks.Run, Int64) {
    func psql(_ sql: String) throws -> String { try Self.psql(sql, connection) }
    try emptyPostgreSQL(connection)
    let configuration = try PostgreSQLConfiguration(connectionString: connection)
    try await PostgreSQLLedgerDatabase.open(configuration).close()
    // The role `replica` skips foreign keys.
    _ = try psql(
      "SET session_replication_role = replica; SET synchronous_commit = off; "
        + rows(
          from: "generate_series(0, \(size - 1)::bigint) AS n(i)",
          customer: "lpad(to_hex((i / 10 * 2654435761) % 4294967296), 8, '0') || '-0000-4000-8000-' "
            + "|| lpad(to_hex(i / 10), 12, '0')"))
    _ = try psql("VACUUM ANALYZE")
    _ = try psql("CHECKPOINT")
    let database = try await PostgreSQLLedgerDatabase.open(configuration)
    let run = try await Desk(database, count: 12_800).redeem(clients: 64)
    try await database.close()
    let bytes = Int64(try psql("SELECT pg_database_size(current_database())").split(separator: "\n")[0]) ?? 0
    return (run, bytes)
  }

  /// Removes everything from a database, because each benchmark's ledger has its own trust anchors.
  static func emptyPostgreSQL(_ connection: String) throws {
    _ = try psql("SET client_min_messages = error; DROP SCHEMA public CASCADE; CREATE SCHEMA public", connection)
  }

  private static func psql(_ sql: String, _ connection: String) throws -> String {
    try LedgerBenchmarks.output("psql", ["-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql, connection])
  }

  /// Returns statements that insert purchases of earlier customers: ten for each, spread over the whole range of customer
  /// ids.
  ///
  /// - Parameters:
  ///   - numbers: a table with the numbers of the purchases in its column `i`.
  ///   - customer: an expression for the customer's id.
  private static func rows(from numbers: String, customer: String) -> String {
    let (app, product) = (LedgerBenchmarks.app, LedgerBenchmarks.product)
    let id = "CAST(1000000000000000000 + i AS TEXT)"
    return """
      INSERT INTO customer (id, created) SELECT \(customer), 0 FROM \(numbers) WHERE i % 10 = 0;
      INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership,
        purchased, claimed, unit, given)
        SELECT '\(app)', 'Production', \(id), \(customer), '\(product)', 'Consumable', 1, 'PURCHASED', 0, 0,
        'credits', 10 FROM \(numbers);
      INSERT INTO statement (app, environment, id, revoked, percentage, stated, learnt)
        SELECT '\(app)', 'Production', \(id), 0, 0, 0, 0 FROM \(numbers);
      INSERT INTO credit_account (customer, app, unit, balance, movements)
        SELECT \(customer), '\(app)', 'credits', 100, 10 FROM \(numbers) WHERE i % 10 = 0;
      INSERT INTO credit_movement (customer, app, unit, sequence, amount, balance, counter_account, cause,
        cause_key, date)
        SELECT \(customer), '\(app)', 'credits', i % 10 + 1, 10, (i % 10 + 1) * 10, 'sales', 'purchase',
        'production/' || \(id), 0 FROM \(numbers);
      """
  }
}
