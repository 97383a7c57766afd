import StoreModel
import Testing

/// Tests the table of time rates of StoreKitTest (`SKTestSession.TimeRate`), to the second.
@Suite("Renewal rates", .timeLimit(.minutes(30)))
struct RenewalRateTests {
  /// A row of the table, in seconds.
  struct Row: Sendable, CustomTestStringConvertible {
    let rate: RenewalRate
    /// Of one week; of 1, 2, 3 and 6 months; of one year.
    let periods: [Int64]
    let weeklyGrace: Int64
    let otherGrace: Int64
    let retry: Int64

    var testDescription: String { "\(rate)" }

    init(_ rate: RenewalRate, _ periods: [Int64], _ weeklyGrace: Int64, _ otherGrace: Int64, _ retry: Int64) {
      (self.rate, self.periods, self.retry) = (rate, periods, retry)
      (self.weeklyGrace, self.otherGrace) = (weeklyGrace, otherGrace)
    }

    static func fixed(_ rate: RenewalRate, _ length: Int64) -> Row {
      Row(rate, Array(repeating: length, count: 6), length, length, 2 * length)
    }
  }

  static let minute: Int64 = 60
  static let hour: Int64 = 3600

  static let rows = [
    Row(
      .monthlyRenewalEveryHour, [15 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour], 12 * minute + 51,
      30 * minute, 2 * hour),
    Row(
      .monthlyRenewalEveryThirtyMinutes, [10 * minute, 30 * minute, hour, 90 * minute, 3 * hour, 6 * hour],
      8 * minute + 34, 15 * minute, hour),
    Row(
      .monthlyRenewalEveryFifteenMinutes, [5 * minute, 15 * minute, 30 * minute, 45 * minute, 90 * minute, 3 * hour],
      4 * minute + 17, 7 * minute + 30, 30 * minute),
    Row(
      .monthlyRenewalEveryFiveMinutes, [3 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour],
      2 * minute + 34, 2 * minute + 30, 10 * minute),
    Row(
      .monthlyRenewalEveryThirtySeconds, [10, 30, minute, 90, 3 * minute, 6 * minute], 9, 15, minute),
    .fixed(.oneRenewalEveryFifteenMinutes, 15 * minute), .fixed(.oneRenewalEveryFiveMinutes, 5 * minute),
    .fixed(.oneRenewalEveryMinute, minute), .fixed(.oneRenewalEveryThirtySeconds, 30),
    .fixed(.oneRenewalEveryTenSeconds, 10), .fixed(.oneRenewalEveryTwoSeconds, 2),
  ]

  static let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"].compactMap(CalendarPeriod.init(iso8601:))

  @Test("A1 every cell of the table is exact to the second", arguments: rows)
  func cells(_ row: Row) {
    let start = StoreDate(millisecondsSince1970: 1_769_857_200_000)
    let lengths = Self.periods.map { row.rate.end(of: $0, from: start).seconds(since: start) }
    #expect(lengths == row.periods)
    #expect(
      Self.periods.map { row.rate.standardGraceSeconds(after: $0) } == [row.weeklyGrace]
        + Array(repeating: row.otherGrace, count: 5))
    #expect(row.rate.retrySeconds == row.retry)
  }

  @Test("A1 in real time the grace period is 6 days after a week and 16 days after longer periods, the retry 60 days")
  func realTime() {
    let graces = Self.periods.map { RenewalRate.realTime.standardGraceSeconds(after: $0) / 86_400 }
    #expect(graces == [6, 16, 16, 16, 16, 16])
    #expect(RenewalRate.realTime.retrySeconds == 60 * 86_400)
  }

  @Test("A1 at a rate of days, each day of the calendar has the rate's length")
  func dayRates() throws {
    let start = try #require(StoreDate(typed: "2028-02-01T00:00:00Z"))
    let month = try #require(CalendarPeriod(iso8601: "P1M"))
    #expect(RenewalRate.oneHourIsOneDay.end(of: month, from: start).seconds(since: start) == 29 * 3600)
    #expect(RenewalRate.oneSecondIsOneDay.end(of: month, count: 2, from: start).seconds(since: start) == 60)
  }

  @Test(
    "A1 successive months keep the day of the first, or end on the last day of a shorter month",
    arguments: [
      ("2026-01-31T10:00:00Z", "P1M", ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]),
      ("2027-12-31T10:00:00Z", "P2M", ["2028-02-29", "2028-04-30", "2028-06-30", "2028-08-31"]),
      ("2028-02-29T10:00:00Z", "P1Y", ["2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]),
      // Across the change to daylight saving time of the United States, and back.
      ("2026-03-01T08:30:00Z", "P1W", ["2026-03-08", "2026-03-15", "2026-03-22", "2026-03-29"]),
      ("2099-12-31T10:00:00Z", "P6M", ["2100-06-30", "2100-12-31", "2101-06-30", "2101-12-31"]),
    ])
  func calendar(_ start: String, _ period: String, _ days: [String]) throws {
    let start = try #require(StoreDate(typed: start))
    let period = try #require(CalendarPeriod(iso8601: period))
    for (index, day) in days.enumerated() {
      let end = RenewalRate.realTime.end(of: period, count: index + 1, from: start)
      #expect(end.description.prefix(10) == day)
      #expect(end.description.suffix(14) == start.description.suffix(14), "the time of day stays")
    }
  }

  @Test("A1 a period that would end after the year 9999 ends with that year")
  func endOfCalendar() throws {
    let start = try #require(StoreDate(typed: "9999-06-01T00:00:00Z"))
    let year = try #require(CalendarPeriod(iso8601: "P1Y"))
    #expect(year.end(from: start).description == "9999-12-31T23:59:59.000Z")
  }
}

extension StoreDate {
  fileprivate func seconds(since start: StoreDate) -> Int64 {
    (millisecondsSince1970 - start.millisecondsSince1970) / 1000
  }
}
