import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Writes rows as the ledger stores them, for charts of ``TestLedger``.
struct ChartRows {
  let fixture: TestLedger
  let customer: CustomerID

  /// - Parameter now: the date of the ledger's clock.
  init(_ engine: LedgerEngine, now: String) async throws {
    try await self.init(try await TestLedger.open(engine), now: now)
  }

  init(_ fixture: TestLedger, now: String) async throws {
    self.fixture = fixture
    fixture.clock.set(Self.date(now))
    customer = try await fixture.identified("ada").customer
  }

  static func date(_ text: String) -> StoreDate { StoreDate(typed: text)! }

  static func month(_ text: String) -> ChartMonth { ChartMonth(rawValue: text)! }

  /// A price in EUR.
  static func euros(_ milliunits: Int64) -> PurchasePrice { PurchasePrice(milliunits: milliunits, currency: "EUR") }

  // MARK: Rows

  func claim(
    _ id: UInt64, _ type: ProductType = .autoRenewableSubscription, ownership: OwnershipType = .purchased,
    price: PurchasePrice? = nil, app: BundleID = TestLedger.app, environment: StoreEnvironment = .production
  ) async throws {
    let customer = customer
    _ = try await fixture.database.write(locking: []) { transaction in
      try transaction.execute(
        """
        INSERT INTO claim (app, environment, id, customer, product, type, quantity, ownership, purchased, claimed, price, currency)
        VALUES ($1, $2, $3, $4, 'p', $5, 1, $6, 0, 0, $7, $8)
        """, app, environment, TransactionID(id), customer, type, ownership, price?.milliunits, price?.currency)
    }
  }

  func period(
    _ id: UInt64, of claim: UInt64, _ from: String, _ until: String, _ price: PurchasePrice?,
    app: BundleID = TestLedger.app, environment: StoreEnvironment = .production
  ) async throws {
    _ = try await fixture.database.write(locking: []) { transaction in
      try transaction.execute(
        """
        INSERT INTO claim_period (app, environment, id, claim, product, purchased, access_until, stated, price, currency)
        VALUES ($1, $2, $3, $4, 'p', $5, $6, 0, $7, $8)
        """, app, environment, TransactionID(id), TransactionID(claim), Self.date(from), Self.date(until),
        price?.milliunits, price?.currency)
    }
  }

  /// - Parameter percentage: thousandths of a percent; 0 if the refund was reversed.
  func refund(_ id: UInt64, _ date: String, _ percentage: Int64 = 100_000) async throws {
    _ = try await fixture.database.write(locking: []) { transaction in
      try transaction.execute(
        """
        INSERT INTO statement (app, environment, id, revoked, date, percentage, stated, learnt)
        VALUES ($1, 'Production', $2, $3, $4, $5, 0, 0)
        """, TestLedger.app, TransactionID(id), percentage > 0, Self.date(date), percentage)
    }
  }

  func grace(_ claim: UInt64, after period: UInt64, until date: String) async throws {
    _ = try await fixture.database.write(locking: []) { transaction in
      try transaction.execute(
        """
        INSERT INTO subscription_renewal (app, environment, claim, period, product, auto_renew, billing_retry, grace_until, stated)
        VALUES ($1, 'Production', $2, $3, 'p', 1, 1, $4, 0)
        """, TestLedger.app, TransactionID(claim), TransactionID(period), Self.date(date))
    }
  }

  // MARK: Charts

  func chart(
    _ name: ChartName, from: String? = nil, until: String? = nil, environment: StoreEnvironment? = nil,
    currency: String? = nil
  ) async throws -> Chart {
    try await fixture.ledger.chart(
      name,
      ChartRequest(
        app: TestLedger.app, environment: environment, from: from.map(Self.month), until: until.map(Self.month),
        currency: currency))
  }
}

extension Chart {
  /// The values of a column in each month, of the series with a currency or unit.
  func values(_ column: ChartColumn, of key: String? = nil) throws -> [Int64] {
    let found = try #require(series.first { ($0.currency ?? $0.unit?.rawValue) == key }, "no series \(key ?? "")")
    return try found.months.map { try #require($0[column], "no column \(column)") }
  }

  /// A line for each value that is not 0.
  var lines: [String] {
    let lines = series.flatMap { series in
      series.months.flatMap { row in
        row.values.filter { $0.value != 0 }.map { name, value in
          "\(series.currency ?? series.unit?.rawValue ?? "all") \(row.month) \(name) \(value)"
        }
      }
    }
    return lines.sorted()
  }
}
