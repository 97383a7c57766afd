import Foundation
import StoreModel
import Testing

@testable import PurchaseLedger

/// Known answers for each rule of Documentation/charts.md.
@Suite("Charts", .timeLimit(.minutes(30)))
struct ChartTests {
  // MARK: Range

  @Test("there are 12 months up to the present one, unless the range says otherwise; at most 36, none later")
  func range() async throws {
    let rows = try await ChartRows(.sqlite, now: "2026-04-10")
    let usual = try await rows.chart(.churn)
    #expect((usual.from.rawValue, usual.until.rawValue) == ("2025-05", "2026-04"))
    #expect(usual.series.count == 1 && usual.series[0].months.count == 12)
    #expect(usual.date == ChartRows.date("2026-04-10") && usual.environment == .production)
    let early = try await rows.chart(.churn, until: "2025-02")
    #expect((early.from.rawValue, early.until.rawValue) == ("2024-03", "2025-02"))
    let long = try await rows.chart(.churn, from: "2023-05")
    #expect(long.series[0].months.count == 36)
    #expect(long.series[0].months.map(\.month.rawValue).prefix(9).last == "2024-01")
    let refused: [(String?, String?)] = [
      ("2023-04", nil), ("2026-05", nil), ("2026-03", "2026-02"), (nil, "2026-05"),
    ]
    for (from, until) in refused {
      await #expect(throws: LedgerError.self, "\(from ?? "") to \(until ?? "")") {
        try await rows.chart(.churn, from: from, until: until)
      }
    }
    await #expect(throws: LedgerError.unknownApp("none")) {
      try await rows.fixture.ledger.chart(.churn, ChartRequest(app: "none"))
    }
  }

  @Test("what a chart does not use is refused: a currency where nothing is money, an environment of credits")
  func unused() async throws {
    let rows = try await ChartRows(.sqlite, now: "2026-04-10")
    for name in ChartName.allCases {
      let isMoney = [.recurringRevenue, .refunds].contains(name)
      if isMoney {
        let chart = try await rows.chart(name, currency: "EUR")
        #expect(chart.series.map(\.currency) == ["EUR", nil] && chart.lines.isEmpty)
        for currency in ["eur", "EURO", "", "€€€"] {
          await #expect(throws: LedgerError.self) { try await rows.chart(name, currency: currency) }
        }
      } else {
        await #expect(throws: LedgerError.self, "\(name)") { try await rows.chart(name, currency: "EUR") }
      }
      if name == .creditsOutstanding {
        await #expect(throws: LedgerError.self) { try await rows.chart(name, environment: .production) }
        #expect(try await rows.chart(name).environment == nil)
      } else {
        #expect(try await rows.chart(name, environment: .sandbox).environment == .sandbox)
      }
    }
  }

  @Test("a month is of the calendar in UTC; a text that is none is refused")
  func months() throws {
    #expect(ChartMonth(containing: ChartRows.date("2024-02-29T23:59:59.999Z")).rawValue == "2024-02")
    #expect(ChartMonth(containing: ChartRows.date("2024-03-01")).rawValue == "2024-03")
    let february = ChartRows.month("2024-02")
    #expect(february.ends.millisecondsSince1970 - february.begins.millisecondsSince1970 == 29 * 86_400_000)
    #expect(ChartRows.month("2026-12").adding(1).rawValue == "2027-01")
    #expect(ChartRows.month("2026-01").adding(-1).rawValue == "2025-12")
    #expect(ChartRows.month("2025-11").distance(to: ChartRows.month("2026-02")) == 3)
    #expect(ChartMonth(containing: StoreDate(millisecondsSince1970: -1)).rawValue == "1970-01")
    #expect(ChartMonth(containing: StoreDate(millisecondsSince1970: .max)).rawValue == "9998-12")
    for text in ["2026-13", "2026-00", "2026-1", "26-01", "2026-011", "1969-12", "9999-01", "2026/01", "", "+026-01"] {
      #expect(ChartMonth(rawValue: text) == nil, "\(text)")
    }
    let coded = try JSONDecoder().decode([ChartMonth].self, from: Data(#"["2026-07"]"#.utf8))
    #expect(coded == [ChartRows.month("2026-07")])
    #expect(String(decoding: try JSONEncoder().encode(coded), as: UTF8.self) == #"["2026-07"]"#)
  }

  // MARK: Active subscriptions and churn

  @Test(
    "a subscription is active at the end of a month, or now, if a period has begun and not ended",
    arguments: LedgerEngine.allCases)
  func active(_ engine: LedgerEngine) async throws {
    let rows = try await ChartRows(engine, now: "2026-04-10T12:00:00Z")
    let price = ChartRows.euros(9_990)
    // A trial, then a paid period, then nothing.
    try await rows.claim(1)
    try await rows.period(1, of: 1, "2026-01-25", "2026-02-01", ChartRows.euros(0))
    try await rows.period(2, of: 1, "2026-02-01", "2026-03-01", price)
    // Ends exactly at the last millisecond of March, so it is over then.
    try await rows.claim(10)
    try await rows.period(10, of: 10, "2026-03-01", "2026-03-31T23:59:59.999Z", price)
    // From a receipt alone; it is active still.
    try await rows.claim(20)
    try await rows.period(20, of: 20, "2026-03-15", "2026-04-15", nil)
    // Refunded in part: no access from then on.
    try await rows.claim(30)
    try await rows.period(30, of: 30, "2026-01-05", "2026-04-05", price)
    try await rows.refund(30, "2026-02-10", 50_000)
    // A reversed refund is none.
    try await rows.claim(40)
    try await rows.period(40, of: 40, "2026-02-10", "2026-03-10", price)
    try await rows.refund(40, "2026-02-20", 0)
    let chart = try await rows.chart(.activeSubscriptions, from: "2026-01")
    #expect(try chart.values(.paid) == [1, 2, 0, 0])
    #expect(try chart.values(.free) == [1, 0, 0, 0])
    #expect(try chart.values(.priceUnknown) == [0, 0, 1, 1])
    #expect(try chart.values(.active) == [2, 2, 1, 1])
    let churn = try await rows.chart(.churn, from: "2026-02")
    #expect(try churn.values(.paying) == [1, 2, 0])
    #expect(try churn.values(.lost) == [1, 2, 0])
    #expect(try churn.values(.priceUnknown) == [0, 0, 1])
    #expect(try churn.values(.priceUnknownLost) == [0, 0, 0])
    // At a later moment of the present month, it has lapsed.
    rows.fixture.clock.set(ChartRows.date("2026-04-20"))
    #expect(try await rows.chart(.activeSubscriptions, from: "2026-04").values(.active) == [0])
    #expect(try await rows.chart(.churn, from: "2026-04").values(.priceUnknownLost) == [1])
  }

  @Test(
    "two periods of one subscription count once, as paid if one is; a grace period counts, for 60 days at most",
    arguments: LedgerEngine.allCases)
  func overlapping(_ engine: LedgerEngine) async throws {
    let rows = try await ChartRows(engine, now: "2026-06-15")
    try await rows.claim(1)
    try await rows.period(1, of: 1, "2026-01-10", "2026-02-10", nil)
    try await rows.period(2, of: 1, "2026-01-20", "2026-02-20", ChartRows.euros(1))
    try await rows.period(3, of: 1, "2026-01-20", "2026-02-20", ChartRows.euros(0))
    try await rows.claim(10)
    try await rows.period(10, of: 10, "2026-01-15", "2026-02-15", ChartRows.euros(990))
    try await rows.grace(10, after: 10, until: "2026-03-10")
    // The grace period of another period than the stored renewal's is over.
    try await rows.claim(20)
    try await rows.period(20, of: 20, "2026-01-15", "2026-02-15", ChartRows.euros(990))
    try await rows.grace(20, after: 21, until: "2026-03-10")
    try await rows.claim(30)
    try await rows.period(30, of: 30, "2026-01-20", "2026-02-20", ChartRows.euros(990))
    try await rows.grace(30, after: 30, until: "2026-12-31")
    // A plan that was replaced in the second of its purchase.
    try await rows.claim(40)
    try await rows.period(40, of: 40, "2026-01-31T23:59:59.500Z", "2026-02-01T00:00:00.499Z", ChartRows.euros(990))
    let chart = try await rows.chart(.activeSubscriptions, from: "2026-01", until: "2026-05")
    #expect(try chart.values(.active) == [4, 2, 1, 0, 0])
    #expect(try chart.values(.paid) == [4, 2, 1, 0, 0])
  }

  @Test(
    "family shares, other types, other apps, other environments and unredeemed purchases are not counted",
    arguments: LedgerEngine.allCases)
  func scope(_ engine: LedgerEngine) async throws {
    let rows = try await ChartRows(engine, now: "2026-02-15")
    let price = ChartRows.euros(31_000)
    let (from, until) = ("2026-01-01", "2026-02-01")
    try await rows.claim(1, ownership: .familyShared)
    try await rows.period(1, of: 1, from, until, price)
    try await rows.claim(2, app: "com.example.other")
    try await rows.period(2, of: 2, from, until, price, app: "com.example.other")
    try await rows.period(3, of: 3, from, until, price)
    try await rows.claim(4, environment: .sandbox)
    try await rows.period(4, of: 4, from, until, price, environment: .sandbox)
    try await rows.claim(5, .nonConsumable, ownership: .familyShared, price: price)
    for id in 1...5 as ClosedRange<UInt64> { try await rows.refund(id, "2026-01-20") }
    for name in ChartName.allCases { #expect(try await rows.chart(name).lines.isEmpty, "\(name)") }
    #expect(
      try await rows.chart(.recurringRevenue, environment: .sandbox).lines
        == ["EUR 2026-01 gross 31000", "EUR 2026-01 net 31000"])
  }

  // MARK: Revenue

  @Test(
    "a price is spread over its period, and the months add up to it, without a rest",
    arguments: LedgerEngine.allCases)
  func revenue(_ engine: LedgerEngine) async throws {
    let rows = try await ChartRows(engine, now: "2026-04-10")
    try await rows.claim(1)
    // 100 a day.
    try await rows.period(1, of: 1, "2025-12-16", "2026-12-16", ChartRows.euros(36_500))
    let year = try await rows.chart(.recurringRevenue, from: "2025-12")
    #expect(try year.values(.gross, of: "EUR") == [1_600, 3_100, 2_800, 3_100, 3_000])
    #expect(try year.values(.net, of: "EUR") == [1_600, 3_100, 2_800, 3_100, 3_000])
    #expect(try year.values(.priceUnknown) == [0, 0, 0, 0, 0])
    // Three days, two of them in January: 2 × 1,000 ÷ 3, rounded down; the rest is February's.
    try await rows.claim(2)
    let dollars = PurchasePrice(milliunits: 1_000, currency: "USD")
    try await rows.period(2, of: 2, "2026-01-30", "2026-02-02", dollars)
    try await rows.claim(3)
    try await rows.period(3, of: 3, "2026-01-30", "2026-02-02", nil)
    let both = try await rows.chart(.recurringRevenue, from: "2026-01", until: "2026-02")
    #expect(both.series.map(\.currency) == ["EUR", "USD", nil])
    #expect(try both.values(.gross, of: "USD") == [666, 334])
    #expect(try both.values(.priceUnknown) == [1, 1])
    let one = try await rows.chart(.recurringRevenue, from: "2026-01", until: "2026-02", currency: "USD")
    #expect(one.series.map(\.currency) == ["USD", nil])
    #expect(try one.values(.priceUnknown) == [1, 1])
  }

  @Test(
    "a refund is spread as the price of its period, by its percentage, rounded down",
    arguments: LedgerEngine.allCases)
  func refundedRevenue(_ engine: LedgerEngine) async throws {
    let rows = try await ChartRows(engine, now: "2026-04-10")
    try await rows.claim(1)
    try await rows.period(1, of: 1, "2026-01-30", "2026-02-02", ChartRows.euros(1_001))
    // 500.5, rounded down.
    try await rows.refund(1, "2026-03-05", 50_000)
    let chart = try await rows.chart(.recurringRevenue, from: "2026-01", until: "2026-03")
    #expect(try chart.values(.gross, of: "EUR") == [667, 334, 0])
    #expect(try chart.values(.refunded, of: "EUR") == [333, 167, 0])
    #expect(try chart.values(.net, of: "EUR") == [334, 167, 0])
    let refunds = try await rows.chart(.refunds, from: "2026-01", until: "2026-03")
    #expect(try refunds.values(.amount, of: "EUR") == [0, 0, 500])
    #expect(try refunds.values(.refunds, of: "EUR") == [0, 0, 1])
  }

  @Test("amounts whose product with the time has more than 64 bits are exact")
  func large() throws {
    let start = StoreDate(millisecondsSince1970: 0)
    let period = ChartPeriod(
      claim: TransactionID(1), purchased: start, accessUntil: start.adding(seconds: 3 * 31_536_000),
      price: nil, refund: nil, graceUntil: nil)
    let third = start.adding(seconds: 31_536_000)
    let amount: Int64 = 3_000_000_000_000_000
    #expect(period.part(of: amount, from: start, until: third) == amount / 3)
    #expect(period.part(of: amount, from: third, until: period.accessUntil) == amount / 3 * 2)
    let (before, after) = (start.adding(seconds: -5), third.adding(seconds: 1_000_000_000))
    #expect(period.part(of: amount, from: before, until: after) == amount)
    var sum = ChartSum()
    sum.add(.max)
    sum.add(1)
    #expect(sum.value == .max)
  }

  // MARK: Trials

  @Test(
    "a trial is the first period at a price of 0, and what became of it is known from the others",
    arguments: LedgerEngine.allCases)
  func trials(_ engine: LedgerEngine) async throws {
    let rows = try await ChartRows(engine, now: "2026-03-10")
    let free = ChartRows.euros(0)
    // Converted after a pause, and refunded.
    try await rows.claim(1)
    try await rows.period(1, of: 1, "2026-01-01", "2026-01-08", free)
    try await rows.period(2, of: 1, "2026-02-15", "2026-03-15", ChartRows.euros(990))
    try await rows.refund(2, "2026-02-16")
    // Lapsed, after another free period.
    try await rows.claim(10)
    try await rows.period(10, of: 10, "2026-01-31T23:59:59Z", "2026-02-08", free)
    try await rows.period(11, of: 10, "2026-02-08", "2026-02-15", free)
    // Runs, or is in its grace period.
    try await rows.claim(20)
    try await rows.period(20, of: 20, "2026-03-05", "2026-03-12", free)
    try await rows.claim(25)
    try await rows.period(25, of: 25, "2026-03-01", "2026-03-08", free)
    try await rows.grace(25, after: 25, until: "2026-03-11")
    // Its later period is known from a receipt.
    try await rows.claim(30)
    try await rows.period(30, of: 30, "2026-02-01", "2026-02-08", free)
    try await rows.period(31, of: 30, "2026-02-08", "2026-03-08", nil)
    // It may be a trial.
    try await rows.claim(40)
    try await rows.period(40, of: 40, "2026-02-01", "2026-02-08", nil)
    // A free offer later is none, and neither is a paid beginning.
    try await rows.claim(50)
    try await rows.period(50, of: 50, "2026-01-01", "2026-02-01", ChartRows.euros(990))
    try await rows.period(51, of: 50, "2026-02-01", "2026-03-01", free)
    // Of two that began together, the lower id is the first.
    try await rows.claim(9)
    try await rows.period(100, of: 9, "2026-02-01", "2026-02-08", free)
    try await rows.period(9, of: 9, "2026-02-01", "2026-02-08", ChartRows.euros(990))
    let chart = try await rows.chart(.trialsToPaid, from: "2026-01")
    #expect(try chart.values(.trials) == [2, 1, 2])
    #expect(try chart.values(.converted) == [1, 0, 0])
    #expect(try chart.values(.outcomeUnknown) == [0, 1, 0])
    #expect(try chart.values(.running) == [0, 0, 2])
    #expect(try chart.values(.lapsed) == [1, 0, 0])
    #expect(try chart.values(.priceUnknown) == [0, 1, 0])
  }

  // MARK: Refunds

  @Test(
    "refunds of all types count in the month of their date, by currency, each once",
    arguments: LedgerEngine.allCases)
  func refunds(_ engine: LedgerEngine) async throws {
    let rows = try await ChartRows(engine, now: "2026-04-10")
    try await rows.claim(1, .consumable, price: ChartRows.euros(2_990))
    try await rows.refund(1, "2026-01-31T23:59:59.999Z", 33_333)
    try await rows.claim(2, .nonConsumable, price: PurchasePrice(milliunits: 120_000, currency: "JPY"))
    try await rows.refund(2, "2026-02-01")
    try await rows.claim(3, .nonRenewingSubscription)
    try await rows.refund(3, "2026-02-01")
    // The first period has the id of its claim.
    try await rows.claim(4)
    try await rows.period(4, of: 4, "2026-01-01", "2026-02-01", ChartRows.euros(990))
    try await rows.period(5, of: 4, "2026-02-01", "2026-03-01", ChartRows.euros(1_990))
    try await rows.refund(4, "2026-02-10")
    try await rows.refund(5, "2026-02-10", 0)
    let chart = try await rows.chart(.refunds, from: "2026-01", until: "2026-03")
    #expect(try chart.values(.amount, of: "EUR") == [996, 990, 0])
    #expect(try chart.values(.refunds, of: "EUR") == [1, 1, 0])
    #expect(try chart.values(.amount, of: "JPY") == [0, 120_000, 0])
    #expect(try chart.values(.priceUnknown) == [0, 1, 0])
  }

  // MARK: Credits

  @Test("credits are the balances at the end of each month, without erased customers", arguments: LedgerEngine.allCases)
  func credits(_ engine: LedgerEngine) async throws {
    var settings = LedgerSettings()
    settings.refundPolicy = .debt
    let rows = try await ChartRows(try await TestLedger.open(engine, settings), now: "2026-01-10")
    let (ledger, clock) = (rows.fixture.ledger, rows.fixture.clock)
    let ben = try await rows.fixture.identified("ben").customer
    func grant(_ amount: Int64, _ key: String, to customer: CustomerID) async throws {
      try await ledger.grant(
        .credits(TestLedger.coin, amount), to: customer, app: TestLedger.app, key: key, reason: "r", by: "olga")
    }
    try await grant(100, "a", to: rows.customer)
    try await grant(7, "b", to: ben)
    clock.set(ChartRows.date("2026-01-31T23:59:59.999Z"))
    _ = try await ledger.spend(30, of: TestLedger.coin, key: "s", customer: rows.customer, app: TestLedger.app)
    clock.set(ChartRows.date("2026-02-01"))
    // More movements than are read with an account.
    for number in 0..<2 * Ledger.ChartLimit.movements {
      let (customer, app) = (rows.customer, TestLedger.app)
      _ = try await ledger.spend(
        number % 2 == 0 ? 2 : 1, of: TestLedger.coin, key: "s\(number)", customer: customer, app: app)
      try await grant(1, "g\(number)", to: rows.customer)
    }
    clock.set(ChartRows.date("2026-03-05"))
    try await ledger.erase(ben)
    let account = ChartRequest(app: TestLedger.app, from: ChartRows.month("2025-12"))
    let chart = try await ledger.chart(.creditsOutstanding, account)
    #expect(chart.series.map(\.unit) == [TestLedger.coin])
    #expect(try chart.values(.outstanding, of: "coins") == [0, 77, 27, 20])
    #expect(try chart.values(.accounts, of: "coins") == [0, 2, 2, 1])
    #expect(try chart.values(.owed, of: "coins") == [0, 0, 0, 0])
    // A refund of spent credits is owed.
    let cleo = try await rows.fixture.identified("cleo")
    _ = try await rows.fixture.redeem(TestLedger.purchase(TestLedger.coins, 1), for: cleo)
    _ = try await ledger.spend(5, of: TestLedger.coin, key: "s", customer: cleo.customer, app: TestLedger.app)
    try await ledger.recordStatuses(
      from: TestLedger.proof([TestLedger.purchase(TestLedger.coins, 1, refunded: 100_000)], stated: 1))
    let owing = try await rows.chart(.creditsOutstanding, from: "2026-03")
    #expect(try owing.values(.owed, of: "coins") == [5])
    #expect(try owing.values(.outstanding, of: "coins") == [20])
  }

  @Test("the balance at a moment is the one after the newest movement that is not later")
  func walk() {
    let moments = [10, 20, 30].map { StoreDate(millisecondsSince1970: $0) }
    func balances(_ movements: [(date: Int64, balance: Int64)]) -> ([Int64], Bool) {
      var walk = BalanceWalk(moments)
      for movement in movements {
        walk.add(StoreDate(millisecondsSince1970: movement.date), balance: movement.balance)
      }
      return (walk.balances, walk.isComplete)
    }
    #expect(balances([]) == ([0, 0, 0], false))
    #expect(balances([(31, 9)]) == ([0, 0, 0], false))
    #expect(balances([(30, 9), (21, 8), (20, 7)]) == ([0, 7, 9], false))
    #expect(balances([(5, 9)]) == ([9, 9, 9], true))
    // The clock was set back between the two older ones.
    #expect(balances([(25, 9), (12, 8), (18, 7), (10, 6)]) == ([6, 8, 9], true))
  }
}
