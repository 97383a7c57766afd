import StoreModel

/// A calendar month in UTC, from 1970-01 to 9998-12. Its raw value is its text, such as `2026-01`.
public struct ChartMonth: RawRepresentable, Hashable, Codable, Comparable, Sendable, CustomStringConvertible {
  /// The regular expression of a month's text.
  public static let pattern = "^[0-9]{4}-(0[1-9]|1[0-2])$"

  /// The number of months since January of the year 0.
  private let number: Int

  private static let numbers = 1970 * 12...9998 * 12 + 11

  private init(number: Int) { self.number = number }

  /// Nil unless the text is a month of the years 1970 to 9998.
  public init?(rawValue: String) {
    let parts = rawValue.split(separator: "-", omittingEmptySubsequences: false)
    guard rawValue.utf8.count == 7, parts.count == 2, parts[0].utf8.count == 4,
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let year = Int(parts[0]), let month = Int(parts[1]), (1...12).contains(month)
    else { return nil }
    let number = year * 12 + month - 1
    guard Self.numbers.contains(number) else { return nil }
    self.number = number
  }

  /// The month of a date. An earlier or later date than those of the range has its first or last month.
  public init(containing date: StoreDate) {
    guard let time = CivilTime(date) else {
      number = date.millisecondsSince1970 < 0 ? Self.numbers.lowerBound : Self.numbers.upperBound
      return
    }
    number = min(max(time.year * 12 + time.month - 1, Self.numbers.lowerBound), Self.numbers.upperBound)
  }

  public var rawValue: String {
    let (year, month) = (number / 12, number % 12 + 1)
    return "\(year)-\(month < 10 ? "0" : "")\(month)"
  }

  public var description: String { rawValue }

  /// The first millisecond of the month.
  var begins: StoreDate { Self.beginning(of: number) }

  /// The first millisecond after the month.
  var ends: StoreDate { Self.beginning(of: number + 1) }

  private static func beginning(of number: Int) -> StoreDate {
    var time = CivilTime()
    time.year = number / 12
    time.month = number % 12 + 1
    // Never nil: the year is 1970 to 9999.
    return time.date ?? StoreDate(millisecondsSince1970: 0)
  }

  /// The month that is `months` later; the first or last month of the range if it would be outside.
  func adding(_ months: Int) -> ChartMonth {
    ChartMonth(number: min(max(number + months, Self.numbers.lowerBound), Self.numbers.upperBound))
  }

  /// The number of months from this one to another one; negative if that is earlier.
  func distance(to other: ChartMonth) -> Int { other.number - number }

  public static func < (left: ChartMonth, right: ChartMonth) -> Bool { left.number < right.number }
}
