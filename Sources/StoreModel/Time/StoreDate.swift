import Foundation

/// An instant in whole UNIX milliseconds, the resolution of all dates that the App Store signs.
///
/// It stores an integer instead of a `Date`, so that a date is always written with the same bytes.
public struct StoreDate: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
  public let millisecondsSince1970: Int64

  public init(millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

  /// Rounds to the nearest millisecond. Dates out of the range of `Int64` are clamped.
  public init(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    millisecondsSince1970 = Int64(exactly: milliseconds) ?? (milliseconds > 0 ? .max : .min)
  }

  public var date: Date { Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000) }

  /// The date rounded down to a second, as in the App Store's purchase dates.
  public var wholeSeconds: StoreDate {
    let remainder = millisecondsSince1970 % 1000
    return adding(milliseconds: remainder < 0 ? -1000 - remainder : -remainder)
  }

  public func adding(milliseconds: Int64) -> StoreDate {
    let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
    return StoreDate(millisecondsSince1970: overflow ? (milliseconds > 0 ? .max : .min) : sum)
  }

  public func adding(seconds: Int64) -> StoreDate {
    let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return adding(milliseconds: overflow ? (seconds > 0 ? .max : .min) : milliseconds)
  }

  public static func < (left: StoreDate, right: StoreDate) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  public init(from decoder: any Decoder) throws {
    millisecondsSince1970 = try decoder.singleValueContainer().decode(Int64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(millisecondsSince1970)
  }

  /// RFC 3339 in UTC, with milliseconds.
  ///
  /// Dates before 1582-10-15 use the Julian calendar, like Foundation's formatter. For an app that was never bought,
  /// Xcode writes the date 0001-01-01 in this way. Years other than 1 to 9999 are also written like Foundation writes
  /// them.
  public var description: String {
    let whole = wholeSeconds
    let milliseconds = String(1000 + (millisecondsSince1970 - whole.millisecondsSince1970)).dropFirst()
    let text = gregorian?.text() ?? String(whole.date.formatted(.iso8601).dropLast())
    return "\(text).\(milliseconds)Z"
  }

  /// The parts of a date from 1582-10-15, when the Gregorian calendar began, to the year 9999; nil for other dates.
  var gregorian: CivilTime? { millisecondsSince1970 < -12_219_292_800_000 ? nil : CivilTime(self) }
}

extension StoreDate {
  /// The date for people: `2026-07-01 12:00:00` in UTC, with milliseconds unless they are 0.
  ///
  /// For years other than 1 to 9999, it is the number of milliseconds since 1970.
  package var text: String {
    guard isOfCalendar else { return "\(millisecondsSince1970) ms since 1970" }
    guard let time = gregorian else {
      return String(description.dropLast()).replacing("T", with: " ").replacing(".000", with: "")
    }
    let text = time.text(separator: " ")
    return time.millisecond == 0 ? text : "\(text).\(String(1000 + time.millisecond).dropFirst())"
  }

  /// Whether the year is 1 to 9999, so that ``description`` is valid RFC 3339.
  package var isOfCalendar: Bool { (-62_135_769_600_000...253_402_300_799_999).contains(millisecondsSince1970) }
}

extension StoreDate {
  /// Parses a date that a person typed, such as `2026-12-01T12:00:00.250Z`. Nil if the text is not a valid date.
  ///
  /// An offset other than `Z` is allowed. Without an offset, the text is in UTC. A blank may replace the `T`. The
  /// seconds may be omitted, and `2026-12-01` is midnight.
  package init?(typed text: String) {
    let pattern =
      /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt\ ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,3}))?)?(?:[Zz]|([+\-])([0-9]{2}):?([0-9]{2}))?)?/
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    func number(_ part: Substring?) -> Int { part.flatMap { Int($0) } ?? 0 }
    var time = CivilTime()
    (time.year, time.month, time.day) = (number(match.1), number(match.2), number(match.3))
    (time.hour, time.minute, time.second) = (number(match.4), number(match.5), number(match.6))
    if let fraction = match.7 {
      time.millisecond = number(fraction + String(repeating: "0", count: 3 - fraction.count))
    }
    let (offsetHours, offsetMinutes) = (number(match.9), number(match.10))
    // ``CivilTime`` accepts leap seconds, but a typed second of 60 is a mistake.
    guard time.second < 60, offsetHours < 24, offsetMinutes < 60, let date = time.date else { return nil }
    let offset = Int64((offsetHours * 60 + offsetMinutes) * 60)
    self = date.adding(seconds: match.8 == "-" ? offset : -offset)
  }
}
