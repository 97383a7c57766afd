import Foundation
import StoreModel

@testable import PurchaseLedger

/// The charts by SQL of its own, which reads whole tables once for each month: nothing of it is shared with the ledger's charts. The
/// dates of periods must have whole seconds.
struct ChartSQL {
  let database: any LedgerDatabase
  let app: BundleID
  let environment: StoreEnvironment
  let months: [Month]
  let now: StoreDate

  /// A calendar month, by Foundation's calendar.
  struct Month: Sendable {
    let name: String
    let begins: Int64
    let ends: Int64

    /// - Parameter count: the number of months up to the one of `now`.
    static func last(_ count: Int, before now: StoreDate) -> [Month] {
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = TimeZone(secondsFromGMT: 0)!
      let present = calendar.dateInterval(of: .month, for: now.date)!.start
      return (0..<count).reversed().map { back in
        let start = calendar.date(byAdding: .month, value: -back, to: present)!
        let end = calendar.date(byAdding: .month, value: 1, to: start)!
        let parts = calendar.dateComponents([.year, .month], from: start)
        return Month(
          name: String(format: "%04d-%02d", parts.year!, parts.month!),
          begins: StoreDate(start).millisecondsSince1970, ends: StoreDate(end).millisecondsSince1970)
      }
    }

    func moment(_ now: StoreDate) -> Int64 { min(ends - 1, now.millisecondsSince1970) }
  }

  func lines(of chart: ChartName) async throws -> [String] {
    let this = self
    let lines = try await database.read { transaction -> [String] in
      switch chart {
      case .activeSubscriptions: return try this.active(transaction)
      case .churn: return try this.churn(transaction)
      case .recurringRevenue: return try this.revenue(transaction)
      case .trialsToPaid: return try this.trials(transaction)
      case .refunds: return try this.refunds(transaction)
      case .creditsOutstanding: return try this.credits(transaction)
      }
    }
    return lines.sorted()
  }

  private static func line(_ key: String?, _ month: Month, _ column: ChartColumn, _ value: Int64) -> [String] {
    value == 0 ? [] : ["\(key ?? "all") \(month.name) \(column.rawValue) \(value)"]
  }

  // MARK: Subscriptions

  private static let sold = """
    c.app = p.app AND c.environment = p.environment AND c.id = p.claim AND c.type = 'Auto-Renewable Subscription'
    AND c.ownership = 'PURCHASED' AND p.access_until >= p.purchased + 1000
    """

  /// The subscriptions that are active at a moment, with the best kind of price of their periods.
  private static func active(at moment: String) -> String {
    """
    SELECT p.claim, MAX(CASE WHEN p.price > 0 THEN 2 WHEN p.price IS NULL THEN 1 ELSE 0 END) AS kind
    FROM claim_period p JOIN claim c ON \(sold)
    WHERE p.app = $1 AND p.environment = $2 AND p.purchased <= \(moment)
      AND (p.access_until > \(moment) OR EXISTS (
        SELECT 1 FROM subscription_renewal r
        WHERE r.app = p.app AND r.environment = p.environment AND r.claim = p.claim AND r.period = p.id
          AND r.grace_until > \(moment) AND p.access_until + 5184000000 > \(moment)))
      AND NOT EXISTS (
        SELECT 1 FROM statement s
        WHERE s.app = p.app AND s.environment = p.environment AND s.id = p.id AND s.revoked = 1 AND s.date <= \(moment))
    GROUP BY p.claim
    """
  }

  private func active(_ transaction: LedgerTransaction) throws -> [String] {
    try months.flatMap { month -> [String] in
      var counts: [Int64: Int64] = [:]
      let rows = try transaction.rows(
        "SELECT kind, COUNT(*) AS amount FROM (\(Self.active(at: "$3"))) a GROUP BY kind", app, environment,
        month.moment(now))
      for row in rows { counts[try row.integer("kind")] = try row.integer("amount") }
      return Self.line(nil, month, .active, counts.values.reduce(0, +))
        + Self.line(nil, month, .paid, counts[2] ?? 0) + Self.line(nil, month, .priceUnknown, counts[1] ?? 0)
        + Self.line(nil, month, .free, counts[0] ?? 0)
    }
  }

  private func churn(_ transaction: LedgerTransaction) throws -> [String] {
    try months.flatMap { month -> [String] in
      let rows = try transaction.rows(
        """
        SELECT b.kind, COUNT(*) AS amount, SUM(CASE WHEN e.claim IS NULL THEN 1 ELSE 0 END) AS lost
        FROM (\(Self.active(at: "$3"))) b LEFT JOIN (\(Self.active(at: "$4"))) e ON e.claim = b.claim GROUP BY b.kind
        """, app, environment, month.begins - 1, month.moment(now))
      return try rows.flatMap { row -> [String] in
        let (count, lost) = (try row.integer("amount"), try row.integer("lost"))
        switch try row.integer("kind") {
        case 2: return Self.line(nil, month, .paying, count) + Self.line(nil, month, .lost, lost)
        case 1:
          return Self.line(nil, month, .priceUnknown, count) + Self.line(nil, month, .priceUnknownLost, lost)
        default: return []
        }
      }
    }
  }

  private func revenue(_ transaction: LedgerTransaction) throws -> [String] {
    /// The part of an amount that has passed after some seconds of a period.
    func part(_ amount: String, _ seconds: String) -> String {
      "(\(amount) / seconds * \(seconds) + \(amount) % seconds * \(seconds) / seconds)"
    }
    return try months.flatMap { month -> [String] in
      let rows = try transaction.rows(
        """
        SELECT currency, COUNT(*) - COUNT(price) AS unknown,
          CAST(SUM(\(part("price", "after")) - \(part("price", "before"))) AS BIGINT) AS gross,
          CAST(SUM(\(part("refunded", "after")) - \(part("refunded", "before"))) AS BIGINT) AS refunded
        FROM (
          SELECT p.currency, p.price, (p.access_until - p.purchased) / 1000 AS seconds,
            COALESCE((
              SELECT p.price * s.percentage / 100000 FROM statement s
              WHERE s.app = p.app AND s.environment = p.environment AND s.id = p.id AND s.revoked = 1), 0) AS refunded,
            CASE WHEN p.purchased >= $3 THEN 0 ELSE ($3 - p.purchased) / 1000 END AS before,
            (CASE WHEN p.access_until <= $4 THEN p.access_until ELSE $4 END - p.purchased) / 1000 AS after
          FROM claim_period p JOIN claim c ON \(Self.sold)
          WHERE p.app = $1 AND p.environment = $2 AND p.purchased < $4 AND p.access_until > $3
        ) part GROUP BY currency
        """, app, environment, month.begins, month.ends)
      return try rows.flatMap { row -> [String] in
        guard let currency = try row.optionalText("currency") else {
          return Self.line(nil, month, .priceUnknown, try row.integer("unknown"))
        }
        let (gross, refunded) = (try row.integer("gross"), try row.integer("refunded"))
        return Self.line(currency, month, .gross, gross) + Self.line(currency, month, .refunded, refunded)
          + Self.line(currency, month, .net, gross - refunded)
      }
    }
  }

  private func trials(_ transaction: LedgerTransaction) throws -> [String] {
    try months.flatMap { month -> [String] in
      let rows = try transaction.rows(
        """
        SELECT outcome, COUNT(*) AS amount FROM (
          SELECT CASE WHEN price IS NULL THEN 'priceUnknown' WHEN paid > 0 THEN 'converted'
            WHEN unknown > 0 THEN 'outcomeUnknown' WHEN latest > $5 OR grace > $5 THEN 'running' ELSE 'lapsed' END AS outcome
          FROM (
            SELECT p.purchased, p.price, COALESCE(r.grace_until, 0) AS grace,
              ROW_NUMBER() OVER (PARTITION BY p.claim ORDER BY p.purchased, CAST(p.id AS BIGINT)) AS place,
              SUM(CASE WHEN p.price > 0 THEN 1 ELSE 0 END) OVER (PARTITION BY p.claim) AS paid,
              SUM(CASE WHEN p.price IS NULL THEN 1 ELSE 0 END) OVER (PARTITION BY p.claim) AS unknown,
              MAX(p.access_until) OVER (PARTITION BY p.claim) AS latest
            FROM claim_period p JOIN claim c ON \(Self.sold)
            LEFT JOIN subscription_renewal r ON r.app = p.app AND r.environment = p.environment AND r.claim = p.claim
            WHERE p.app = $1 AND p.environment = $2
          ) period
          WHERE place = 1 AND (price IS NULL OR price = 0) AND purchased >= $3 AND purchased < $4
        ) trial GROUP BY outcome
        """, app, environment, month.begins, month.ends, now)
      var (lines, trials): ([String], Int64) = ([], 0)
      for row in rows {
        let column: ChartColumn = try row.value("outcome")
        let count = try row.integer("amount")
        lines += Self.line(nil, month, column, count)
        if column != .priceUnknown { trials += count }
      }
      return lines + Self.line(nil, month, .trials, trials)
    }
  }

  // MARK: Refunds and credits

  private func refunds(_ transaction: LedgerTransaction) throws -> [String] {
    try months.flatMap { month -> [String] in
      let rows = try transaction.rows(
        """
        SELECT currency, COUNT(*) AS refunds, CAST(SUM(price * percentage / 100000) AS BIGINT) AS amount FROM (
          SELECT p.price, p.currency, s.percentage FROM claim_period p
          JOIN claim c ON c.app = p.app AND c.environment = p.environment AND c.id = p.claim
          JOIN statement s ON s.app = p.app AND s.environment = p.environment AND s.id = p.id
          WHERE p.app = $1 AND p.environment = $2 AND c.type = 'Auto-Renewable Subscription' AND c.ownership = 'PURCHASED'
            AND s.revoked = 1 AND s.date BETWEEN $3 AND $4 - 1
          UNION ALL
          SELECT c.price, c.currency, s.percentage FROM claim c
          JOIN statement s ON s.app = c.app AND s.environment = c.environment AND s.id = c.id
          WHERE c.app = $1 AND c.environment = $2 AND c.type <> 'Auto-Renewable Subscription' AND c.ownership = 'PURCHASED'
            AND s.revoked = 1 AND s.date BETWEEN $3 AND $4 - 1
        ) refund GROUP BY currency
        """, app, environment, month.begins, month.ends)
      return try rows.flatMap { row -> [String] in
        guard let currency = try row.optionalText("currency") else {
          return Self.line(nil, month, .priceUnknown, try row.integer("refunds"))
        }
        return Self.line(currency, month, .refunds, try row.integer("refunds"))
          + Self.line(currency, month, .amount, try row.integer("amount"))
      }
    }
  }

  private func credits(_ transaction: LedgerTransaction) throws -> [String] {
    try months.flatMap { month -> [String] in
      let rows = try transaction.rows(
        """
        SELECT unit, CAST(SUM(CASE WHEN balance > 0 THEN balance ELSE 0 END) AS BIGINT) AS outstanding,
          CAST(SUM(CASE WHEN balance < 0 THEN -balance ELSE 0 END) AS BIGINT) AS owed,
          SUM(CASE WHEN balance > 0 THEN 1 ELSE 0 END) AS accounts
        FROM (
          SELECT a.unit, (
            SELECT m.balance FROM credit_movement m
            WHERE m.customer = a.customer AND m.app = a.app AND m.unit = a.unit AND m.date <= $2
            ORDER BY m.sequence DESC LIMIT 1) AS balance
          FROM credit_account a JOIN customer k ON k.id = a.customer
          WHERE a.app = $1 AND (k.erased IS NULL OR k.erased > $2)
        ) account GROUP BY unit
        """, app, month.moment(now))
      return try rows.flatMap { row -> [String] in
        let unit = try row.text("unit")
        return Self.line(unit, month, .outstanding, try row.integer("outstanding"))
          + Self.line(unit, month, .owed, try row.integer("owed"))
          + Self.line(unit, month, .accounts, try row.integer("accounts"))
      }
    }
  }
}
