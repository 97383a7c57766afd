import Foundation
import GRDB
import GRDBSQLite
import StoreModel
import Testing

@testable import PurchaseLedger

/// SQLite has no statistics of the ledger's tables, so it can prefer a key that all rows of an app share to the right index. The
/// cost of a statement then grows with the whole ledger, which no test with few rows notices.
@Suite("Plans of SQLite", .timeLimit(.minutes(30)))
struct QueryPlanTests {
  @Test("no statement of a random history reads all purchases of an app")
  func selective() async throws {
    let statements = StatementLog()
    let database = try SQLiteLedgerDatabase(
      at: nil, migrations: LedgerSchema.migrations(.sqlite), prepare: { statements.log($0) })
    var history = try await RandomLedger(seed: 3, on: database)
    for _ in 0..<200 { try await history.step() }
    let fixture = history.fixture
    let start = try await fixture.ledger.events(limit: 1).next
    _ = try await fixture.ledger.createWebhook(
      WebhookSettings(name: "backend", url: "https://backend.example/hook"), after: start, by: "olga")
    _ = try await fixture.ledger.takeMessages()
    while let lease = try await fixture.ledger.takeWebhookDelivery() {
      _ = try await fixture.ledger.settle(lease, .delivered(status: 200))
    }
    for name in ["ada", "ben", "cleo"] {
      let customer = try await fixture.identified(name).customer
      _ = try await fixture.ledger.exported(customer)
      _ = try await fixture.ledger.entitlements(of: customer, app: TestLedger.app)
      _ = try await fixture.ledger.reverify(.customer(customer), app: TestLedger.app, limit: 10, by: "olga")
    }

    // Every purchase of an app is found by these alone.
    let whole = ["(app=?)", "(app=? AND environment=?)", "(environment=?)", "(webhook=?)"]
    // Tables of one row, the few webhooks, and a page that a statement has cut before.
    let short = [
      "SCAN CONSTANT ROW", "SCAN page", "SCAN ledger_generation", "SCAN g", "SCAN c", "SCAN webhook", "SCAN w",
    ]
    let all = statements.all.filter { !$0.hasPrefix("--") && !$0.contains("sqlite_schema") }
    #expect(all.count > 80)
    let faults = try await database.read { transaction in
      try all.sorted().flatMap { sql in
        let count = sql.matches(of: /\?(\d+)/).compactMap { Int($0.1) }.max() ?? 0
        let arguments = [SQLValue](repeating: .null, count: count)
        return try transaction.rows("EXPLAIN QUERY PLAN \(sql)", arguments: arguments)
          .map { try $0.text("detail") }
          .filter { line in
            line.hasPrefix("SCAN") ? !short.contains(line) : whole.contains { line.hasSuffix($0) }
          }
          .map { "\($0): \(sql)" }
      }
    }
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n\n"))")
    try await database.close()
  }
}

/// The texts of a connection's statements.
private final class StatementLog: Sendable {
  private let texts = LockedValue<Set<String>>([])

  var all: Set<String> { texts.value }

  /// Logs the statements of a connection, which must not outlive this object.
  func log(_ database: Database) {
    sqlite3_trace_v2(
      database.sqliteConnection, UInt32(SQLITE_TRACE_STMT),
      { _, context, statement, _ in
        guard let context, let statement, let text = sqlite3_sql(OpaquePointer(statement)) else { return 0 }
        let sql = String(cString: text)
        Unmanaged<StatementLog>.fromOpaque(context).takeUnretainedValue().texts.withLock { _ = $0.insert(sql) }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
