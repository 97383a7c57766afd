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
