import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// What a chart reads (Documentation/charts.md, "What a request reads").
@Suite("The cost of charts", .timeLimit(.minutes(30)))
struct ChartCostTests {
  private static let charts = ChartName.allCases.filter { $0 != .creditsOutstanding }

  /// Adds subscriptions with one refunded period each.
  private static func add(
    _ range: ClosedRange<Int>, ending date: StoreDate, to database: any LedgerDatabase
  ) async throws {
    let customer = CustomerID(rawValue: UUID())
    _ = try await database.write(locking: []) { transaction in
      try transaction.execute("INSERT INTO customer (id, created) VALUES ($1, 0)", customer)
      let numbers = """
        WITH RECURSIVE n(i) AS (SELECT \(range.lowerBound) UNION ALL SELECT i + 1 FROM n WHERE i < \(range.upperBound))
        """
      try transaction.execute(
        """
        \(numbers)
        INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed)
        SELECT CAST($1 AS TEXT), 'Production', CAST(i AS TEXT), CAST($2 AS TEXT), 'p', 'Auto-Renewable Subscription', 1,
          'PURCHASED', 0, 0 FROM n
        """, TestLedger.app, customer)
      try transaction.execute(
        """
        \(numbers)
        INSERT INTO claim_period (app, environment, id, claim, product, purchased, access_until, stated, price, currency)
        SELECT CAST($1 AS TEXT), 'Production', CAST(i AS TEXT), CAST(i AS TEXT), 'p', CAST($2 AS BIGINT) - 86400000,
          CAST($2 AS BIGINT), 0, 0, 'EUR' FROM n
        """, TestLedger.app, date)
      try transaction.execute(
        """
        \(numbers)
        INSERT INTO statement (app, environment, id, revoked, date, percentage, stated, learnt)
        SELECT CAST($1 AS TEXT), 'Production', CAST(i AS TEXT), 1, CAST($2 AS BIGINT) - 1000, 50000, 0, 0 FROM n
        """, TestLedger.app, date)
    }
  }

  @Test(
    "the rows that are read do not grow with what ended before the range; each page is a short transaction",
    arguments: LedgerEngine.allCases)
  func periods(_ engine: LedgerEngine) async throws {
    let database = try await CountingDatabase(engine)
    let fixture = try await TestLedger.open(on: database)
    fixture.clock.set(ChartRows.date("2026-04-20"))
    let request = ChartRequest(app: TestLedger.app, from: ChartRows.month("2026-03"))
    try await Self.add(1...2_100, ending: ChartRows.date("2026-04-10"), to: database)
    var before: [ChartName: CountingDatabase.Work] = [:]
    for name in Self.charts {
      before[name] = try await database.counting { _ = try await fixture.ledger.chart(name, request) }
    }
    try await Self.add(10_001...15_000, ending: ChartRows.date("2025-10-10"), to: database)
    for name in Self.charts {
      let work = try await database.counting {
        let chart = try await fixture.ledger.chart(name, request)
        // The trials were free, and over at once.
        #expect(chart.lines.isEmpty != [.trialsToPaid, .refunds].contains(name), "\(name)")
      }
      let fewer = try #require(before[name])
      #expect((work.transactions, work.statements, work.rows) == (3, 3, 2_100), "\(name)")
      #expect(work.rows == fewer.rows && work.changedRows == 0, "\(name)")
      #expect(work.steps <= fewer.steps + fewer.steps / 10, "\(name): \(fewer.steps), then \(work.steps)")
    }
    try await database.close()
  }

  @Test("SQLite finds the page by its index")
  func plans() async throws {
    let fixture = try await TestLedger.open(.sqlite)
    for (statement, index, count) in [
      (ChartStatement.periods, "claim_period_end", 5), (ChartStatement.trials, "claim_period_end", 8),
      (ChartStatement.refunds, "statement_refunded", 6),
    ] {
      let plan = try await fixture.database.read { transaction in
        let arguments = (1...count).map { _ in SQLValue.integer(1) }
        return try transaction.rows("EXPLAIN QUERY PLAN \(statement)", arguments: arguments).map {
          try $0.text("detail")
        }
      }
      #expect(plan.contains { $0.contains(index) }, "\(plan)")
      // Each table is searched by a key, never read as a whole, and never all periods of the app.
      #expect(!plan.contains { $0.hasPrefix("SCAN claim") || $0.hasPrefix("SCAN statement") }, "\(plan)")
      #expect(!plan.contains { $0.hasSuffix("PRIMARY KEY (app=? AND environment=?)") }, "\(plan)")
    }
  }

  @Test("an account without movements in the range takes no statement of its own", arguments: LedgerEngine.allCases)
  func accounts(_ engine: LedgerEngine) async throws {
    let database = try await CountingDatabase(engine)
    let fixture = try await TestLedger.open(on: database)
    fixture.clock.set(ChartRows.date("2026-01-10"))
    let count = Ledger.ChartLimit.accounts + 1
    for number in 1...count {
      let customer = try await fixture.identified("c\(number)").customer
      for key in ["a", "b"] {
        try await fixture.ledger.grant(
          .credits(TestLedger.coin, 1), to: customer, app: TestLedger.app, key: key, reason: "r", by: "olga")
      }
    }
    fixture.clock.set(ChartRows.date("2026-04-10"))
    let request = ChartRequest(app: TestLedger.app, from: ChartRows.month("2026-03"))
    let work = try await database.counting {
      let chart = try await fixture.ledger.chart(.creditsOutstanding, request)
      #expect(try chart.values(.outstanding, of: "coins") == [2 * Int64(count), 2 * Int64(count)])
    }
    #expect((work.transactions, work.rows, work.changedRows) == (2, count, 0))
    try await database.close()
  }
}
