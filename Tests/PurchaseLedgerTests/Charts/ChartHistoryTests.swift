import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Random histories, whose charts must equal independent SQL to the last unit.
@Suite("Charts equal SQL of its own", .timeLimit(.minutes(30)))
struct ChartHistoryTests {
  private static let months = 30

  /// Compares all charts, and returns the names of the columns that had a value.
  private static func compare(_ fixture: TestLedger, _ what: String) async throws -> Set<String> {
    var columns: Set<String> = []
    let now = fixture.clock.now
    for environment in [StoreEnvironment.production, .sandbox] {
      let sql = ChartSQL(
        database: fixture.database, app: TestLedger.app, environment: environment,
        months: ChartSQL.Month.last(months, before: now), now: now)
      for name in ChartName.allCases {
        let request = ChartRequest(
          app: TestLedger.app, environment: name.hasEnvironment ? environment : nil,
          from: ChartMonth(rawValue: sql.months[0].name))
        let chart = try await fixture.ledger.chart(name, request)
        #expect(chart.series.allSatisfy { $0.months.map(\.month.rawValue) == sql.months.map(\.name) })
        let (lines, expected) = (chart.lines, try await sql.lines(of: name))
        if lines != expected {
          let missing = Set(expected).subtracting(lines).sorted().prefix(10)
          let excess = Set(lines).subtracting(expected).sorted().prefix(10)
          Issue.record("\(what), \(environment), \(name): not \(excess), but \(missing)")
        }
        for line in lines { columns.insert("\(name) \(line.split(separator: " ")[2])") }
      }
    }
    return columns
  }

  @Test("random rows of two years", arguments: LedgerEngine.allCases)
  func rows(_ engine: LedgerEngine) async throws {
    var columns: Set<String> = []
    for seed in 1...6 as ClosedRange<UInt64> {
      let fixture = try await TestLedger.open(engine)
      try await RandomChartRows.fill(fixture, seed: seed)
      columns.formUnion(try await Self.compare(fixture, "seed \(seed) on \(engine)"))
      try await fixture.database.close()
    }
    // Every column had a value, so that nothing is equal only because it never happened.
    let all: [ChartName: [ChartColumn]] = [
      .activeSubscriptions: [.active, .paid, .priceUnknown, .free],
      .recurringRevenue: [.gross, .refunded, .net, .priceUnknown],
      .trialsToPaid: [.trials, .converted, .outcomeUnknown, .running, .lapsed, .priceUnknown],
      .churn: [.paying, .lost, .priceUnknown, .priceUnknownLost], .refunds: [.refunds, .amount, .priceUnknown],
      .creditsOutstanding: [.outstanding, .owed, .accounts],
    ]
    let wanted = all.flatMap { name, columns in columns.map { "\(name) \($0)" } }
    #expect(Set(wanted) == columns)
  }

  @Test("histories of redemptions, renewals, refunds, transfers and erasures", arguments: LedgerEngine.allCases)
  func histories(_ engine: LedgerEngine) async throws {
    var columns: Set<String> = []
    for seed in 1...6 as ClosedRange<UInt64> {
      var history = try await RandomLedger(seed: seed, engine)
      for _ in 0..<150 { try await history.step() }
      let fixture = history.fixture
      // Prices by the ids, some of them unknown.
      _ = try await fixture.database.write(locking: []) { transaction in
        for table in ["claim", "claim_period"] {
          try transaction.execute(
            """
            UPDATE \(table) SET price = CASE CAST(id AS BIGINT) % 4 WHEN 3 THEN NULL ELSE CAST(id AS BIGINT) % 4 * 1990 END,
              currency = CASE CAST(id AS BIGINT) % 4 WHEN 3 THEN NULL ELSE 'EUR' END
            """)
        }
      }
      columns.formUnion(try await Self.compare(fixture, "history \(seed) on \(engine)"))
      try await fixture.database.close()
    }
    let some = [
      "activeSubscriptions active", "recurringRevenue gross", "refunds amount", "creditsOutstanding accounts",
    ]
    for column in some {
      #expect(columns.contains(column), "\(column)")
    }
  }
}
