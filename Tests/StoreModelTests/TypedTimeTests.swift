import Foundation
import StoreModel
import Testing

@Suite("Time as people type it", .timeLimit(.minutes(30)))
struct TypedTimeTests {
  @Test(
    "spans are read with their units, and nothing else is",
    arguments: [
      ("250ms", 250), ("45s", 45_000), ("90m", 5_400_000), ("90 min", 5_400_000), ("36h", 129_600_000),
      ("1d12h30m", 131_400_000), ("1 d 12 h", 129_600_000), ("2w", 1_209_600_000), ("0s", 0), ("", nil), ("12", nil),
      ("d", nil), ("-1d", nil), ("1.5h", nil), ("1  d", nil), ("1d  2h", nil), (" 1d", nil), ("1d ", nil), (" ", nil),
      ("1y", nil), ("1D", nil), ("٣d", nil), ("9223372036854775807ms", .max), ("9223372036854775808ms", nil),
      ("9223372036854775807s", nil), ("9223372036854775807ms1ms", nil),
    ] as [(String, Int64?)])
  func spans(text: String, milliseconds: Int64?) {
    #expect(TypedSpan(text)?.milliseconds == milliseconds)
  }

  @Test(
    "dates are read in UTC unless they say otherwise",
    arguments: [
      ("2026-12-24", 1_798_070_400_000), ("2026-12-24T18:00:00Z", 1_798_135_200_000),
      ("2026-12-24 18:00", 1_798_135_200_000), ("2026-12-24 18:00:00", 1_798_135_200_000),
      ("2026-12-24t18:00:00z", 1_798_135_200_000), ("2026-12-24T18:00:00+02:00", 1_798_128_000_000),
      ("2026-12-24T18:00:00-0200", 1_798_142_400_000), ("2026-12-24T18:00:00.25Z", 1_798_135_200_250),
      ("2024-02-29 00:00", 1_709_164_800_000), ("0050-01-01 00:00", -60_589_296_000_000), ("yesterday", nil), ("", nil),
      ("2026-13-01", nil), ("1798135200000", nil), ("2026-12-24T25:00:00Z", nil), ("2026-12-24T18:60:00Z", nil),
      ("2026-12-24T18:00:60Z", nil), ("2026-12-24T18:00:00+24:00", nil), ("2026-12-24T18:00:00+02:60", nil),
      ("2026-02-30", nil), ("2023-02-29 00:00", nil), ("2026-12-24T18:00:00.1234Z", nil), (" 2026-12-24", nil),
    ] as [(String, Int64?)])
  func dates(text: String, milliseconds: Int64?) {
    #expect(StoreDate(typed: text)?.millisecondsSince1970 == milliseconds)
  }

  @Test("dates are those of the calendar, for four centuries")
  func calendar() {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for day in stride(from: -80_000, to: 80_000, by: 97) {
      let seconds = day * 86_400 + 45_296
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
      let text = String(
        format: "%04d-%02d-%02d %02d:%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0,
        parts.minute ?? 0, parts.second ?? 0)
      #expect(StoreDate(typed: text)?.millisecondsSince1970 == Int64(seconds) * 1000, "\(text)")
    }
  }

  @Test("dates are written as the calendar has them, before and after 1970, and beyond four digits all the same")
  func written() {
    for milliseconds in stride(from: Int64(-12_219_292_800_000), through: 253_402_300_799_999, by: 86_399_123_457) {
      let date = StoreDate(millisecondsSince1970: milliseconds)
      let whole = date.wholeSeconds.date.formatted(.iso8601).dropLast()
      let rest = String(1000 + milliseconds - date.wholeSeconds.millisecondsSince1970).dropFirst()
      #expect(date.description == "\(whole).\(rest)Z")
      #expect(StoreDate(typed: date.text) == date && StoreDate(typed: date.description) == date)
    }
    // The date that Xcode writes for a product that was never bought.
    #expect(StoreDate(millisecondsSince1970: -62_135_769_600_000).text == "0001-01-01 00:00:00")
    #expect(StoreDate(millisecondsSince1970: 1_782_907_200_000).text == "2026-07-01 12:00:00")
    #expect(StoreDate(millisecondsSince1970: 1_782_907_200_050).text == "2026-07-01 12:00:00.050")
    #expect(StoreDate(millisecondsSince1970: -1).text == "1969-12-31 23:59:59.999")
    let late = StoreDate(millisecondsSince1970: 253_402_300_800_000)
    #expect(late.text == "253402300800000 ms since 1970")
    #expect(late.description.hasSuffix("10000-01-01T00:00:00.000Z"))
    for end in [Int64.min, .max] { #expect(StoreDate(millisecondsSince1970: end).description.hasSuffix("Z")) }
  }
}
