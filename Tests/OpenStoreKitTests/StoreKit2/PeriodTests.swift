import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: subscription periods", .timeLimit(.minutes(30)))
struct PeriodTests {
  private func date(_ text: String) throws -> Date { try Date("\(text)T12:00:00Z", strategy: .iso8601) }

  @Test(
    "the named periods have their unit and value",
    arguments: [
      (SubscriptionPeriod.weekly, 1, SubscriptionPeriod.Unit.week), (.monthly, 1, .month), (.yearly, 1, .year),
      (.everyThreeDays, 3, .day), (.everyTwoWeeks, 2, .week), (.everyTwoMonths, 2, .month),
      (.everyThreeMonths, 3, .month),
      (.everySixMonths, 6, .month),
    ])
  func named(period: SubscriptionPeriod, value: Int, unit: SubscriptionPeriod.Unit) {
    #expect(period.value == value && period.unit == unit)
    #expect(period == Product.SubscriptionPeriod(value: value, unit: unit))
  }

  @Test("units are ordered by length, and have texts")
  func units() {
    let units: [Product.SubscriptionPeriod.Unit] = [.year, .day, .month, .week]
    #expect(units.sorted() == [.day, .week, .month, .year])
    #expect(units.map(\.localizedDescription) == ["Year", "Day", "Month", "Week"])
    #expect(units.map(\.debugDescription) == ["year", "day", "month", "week"])
    #expect(SubscriptionPeriod.monthly.debugDescription == "1 month")
    #expect(SubscriptionPeriod.everyTwoWeeks.debugDescription == "2 weeks")
  }

  @Test("a period ends by the Gregorian calendar, whatever the length of the months")
  func range() throws {
    let start = try date("2024-01-31")
    #expect(SubscriptionPeriod.monthly.dateRange(referenceDate: start) == start..<(try date("2024-02-29")))
    #expect(SubscriptionPeriod.yearly.dateRange(referenceDate: start) == start..<(try date("2025-01-31")))
    #expect(SubscriptionPeriod.everyTwoWeeks.dateRange(referenceDate: start) == start..<(try date("2024-02-14")))
    #expect(SubscriptionPeriod.everyThreeDays.dateRange(referenceDate: start) == start..<(try date("2024-02-03")))
  }

  @Test("the components of a period have its unit only")
  func components() {
    #expect(DateComponents(subscriptionPeriod: .everyThreeDays) == DateComponents(day: 3))
    #expect(DateComponents(subscriptionPeriod: .everyTwoWeeks) == DateComponents(weekOfYear: 2))
    #expect(DateComponents(subscriptionPeriod: .everySixMonths) == DateComponents(month: 6))
    #expect(DateComponents(subscriptionPeriod: .yearly) == DateComponents(year: 1))
  }

  @Test("a period can be written with a style for durations")
  func duration() throws {
    let style = Duration.UnitsFormatStyle(allowedUnits: [.days], width: .wide).locale(Locale(identifier: "en_US"))
    #expect(SubscriptionPeriod.everyTwoWeeks.formatted(style, referenceDate: try date("2024-01-31")) == "14 days")
  }

  @Test("a style writes units in its language, and in English if it does not know the words")
  func unitStyle() throws {
    let style = SubscriptionPeriod.Unit.FormatStyle(locale: Locale(identifier: "en_US"))
    let input: SubscriptionPeriod.Unit.FormatStyle.FormatInput = .month
    let output: SubscriptionPeriod.Unit.FormatStyle.FormatOutput = style.format(input)
    #expect(output == "month")
    #expect(style.locale(Locale(identifier: "de_AT")).format(.year) == "Jahr")
    #expect(style.locale(Locale(identifier: "ja_JP")).format(.month) == "か月")
    #expect(style.locale(Locale(identifier: "cy_GB")).format(.week) == "week")
    #expect(try JSONDecoder().decode(type(of: style), from: JSONEncoder().encode(style)) == style)
  }

  @Test("a style for ranges uses the largest units")
  func rangeStyle() throws {
    let style = Product.SubscriptionPeriodRangeFormatStyle(locale: Locale(identifier: "en_US"))
    let start = try date("2024-01-01")
    #expect(style.format(start..<(try date("2025-01-01"))) == "1 year")
    #expect(style.format(start..<(try date("2024-02-04"))) == "1 month, 3 days")
    #expect(style.format(start..<start) == "0 days")
    // The end of a month that is shorter than the day of the start.
    let last = try date("2026-11-30")
    #expect(SubscriptionPeriod.everyThreeMonths.formatted(style, referenceDate: last) == "3 months")
    #expect(SubscriptionPeriod.monthly.formatted(style, referenceDate: try date("2027-01-31")) == "1 month")
    #expect(SubscriptionPeriod.yearly.formatted(style, referenceDate: try date("2024-02-29")) == "1 year")
  }

  @Test("a style for ranges has the properties of Foundation's style of components")
  func rangeStyleProperties() throws {
    var style = Product.SubscriptionPeriodRangeFormatStyle(locale: Locale(identifier: "en_US"))
    let start = try date("2024-01-01")
    let year = start..<(try date("2025-01-01"))
    style.style = .wide
    style.fields = [.month]
    #expect(style.format(year) == "12 months")
    style.fields = [.week, .day]
    #expect(style.format(year) == "52 weeks, 2 days")
    style.fields = nil
    style.locale = Locale(identifier: "fr_FR")
    #expect(style.format(year) == "1 an")
    style.calendar = Calendar(identifier: .gregorian)
    #expect(style.locale(Locale(identifier: "it_IT")).calendar(style.calendar).format(year) == "1 anno")
  }
}
