/// A date as it is typed into a form: `2026-07-01 12:00:00.000`, always UTC; what is finer than a minute may be left out.
enum CivilDateText {
  /// In UNIX milliseconds; nil if it is no date, or no day of the calendar.
  static func milliseconds(_ text: String) -> Int64? {
    let pattern = /([0-9]{4})-([0-9]{2})-([0-9]{2})[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,3}))?)?Z?/
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    func number(_ part: Substring?) -> Int64 { part.flatMap { Int64($0) } ?? 0 }
    let (year, month, day) = (number(match.1), number(match.2), number(match.3))
    let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
    guard (1...12).contains(month), day >= 1, day <= days(in: month, of: year), hour < 24, minute < 60, second < 60
    else { return nil }
    let fraction = String(match.7 ?? "")
    let milliseconds = number(Substring(fraction + String(repeating: "0", count: 3 - fraction.count)))
    let minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute
    return (minutes * 60 + second) * 1000 + milliseconds
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Counted from March on, so that the leap day is a year's last.
  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let years = month > 2 ? year : year - 1
    let days = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = (years + 400) / 4 - (years + 400) / 100 + (years + 400) / 400 - 97
    return years * 365 + leapDays + days - 719_468
  }
}
