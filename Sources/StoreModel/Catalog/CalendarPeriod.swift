/// A number of days, weeks, months or years, written as an ISO 8601 duration such as `P3M`. Units are not combined.
public struct CalendarPeriod: Hashable, Codable, Sendable, CustomStringConvertible {
  public enum Unit: String, Hashable, Codable, Sendable, CaseIterable {
    case day = "D"
    case week = "W"
    case month = "M"
    case year = "Y"
  }

  /// At least 1.
  public let value: Int
  public let unit: Unit

  public init(value: Int, unit: Unit) {
    precondition(value > 0, "a subscription period is at least one unit long")
    self.value = value
    self.unit = unit
  }

  /// Nil unless `iso8601` is `P`, followed by a number from 1 to 999 and one of `D`, `W`, `M`, `Y`.
  public init?(iso8601: String) {
    guard iso8601.first == "P", let unit = iso8601.last.flatMap({ Unit(rawValue: String($0)) }) else { return nil }
    let digits = iso8601.dropFirst().dropLast()
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let value = Int(digits), (1...999).contains(value)
    else { return nil }
    self.init(value: value, unit: unit)
  }

  /// Returns the end of the last of several successive periods, in the Gregorian calendar and UTC.
  ///
  /// If the last month is too short for the day of `start`, the period ends on the last day of that month. The time of
  /// day stays the same, because UTC has no daylight saving time. If periods of months or years would end after the
  /// year 9999, the result is the last second of that year.
  ///
  /// - Parameters:
  ///   - start: the start of the first period.
  ///   - count: the number of periods.
  public func end(from start: StoreDate, count: Int = 1) -> StoreDate {
    let number = value * count
    let end: StoreDate? =
      switch unit {
      case .day: start.adding(seconds: Int64(number) * 86_400)
      case .week: start.adding(seconds: Int64(number) * 7 * 86_400)
      case .month: CivilTime(start)?.adding(months: number).date
      case .year: CivilTime(start)?.adding(months: 12 * number).date
      }
    return end ?? StoreDate(millisecondsSince1970: 253_402_300_799_000)
  }

  public var iso8601: String { "P\(value)\(unit.rawValue)" }
  public var description: String { iso8601 }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let period = CalendarPeriod(iso8601: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(text) is not a period such as P1M")
    }
    self = period
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(iso8601)
  }
}
