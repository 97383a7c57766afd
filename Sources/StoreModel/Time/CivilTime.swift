/// A date and time of the proleptic Gregorian calendar in UTC. It needs no `Calendar` and no locale.
package struct CivilTime: Sendable {
  package var year = 1970
  /// 1 to 12.
  package var month = 1
  package var day = 1
  package var hour = 0
  package var minute = 0
  package var second = 0
  package var millisecond = 0

  /// The instant of this date and time. Nil if a part is out of range; years are 0 to 9999. A leap second becomes the
  /// next second.
  package var date: StoreDate? {
    guard (0...9999).contains(year), (1...12).contains(month), (1...Self.days(month, year)).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second), (0...999).contains(millisecond)
    else { return nil }
    let seconds = Self.daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    return StoreDate(millisecondsSince1970: Int64(seconds) * 1000 + Int64(millisecond))
  }

  /// The parts of a date. Nil if the year is not from 0 to 9999.
  package init?(_ date: StoreDate) {
    let milliseconds = date.millisecondsSince1970
    guard (-62_167_219_200_000...253_402_300_799_999).contains(milliseconds) else { return nil }
    let dayNumber = Int(milliseconds.flooredQuotient(by: 86_400_000))
    let rest = Int(milliseconds - Int64(dayNumber) * 86_400_000)
    (year, month, day) = Self.civil(dayNumber)
    hour = rest / 3_600_000
    minute = rest / 60_000 % 60
    second = rest / 1000 % 60
    millisecond = rest % 1000
  }

  /// 1970-01-01 at midnight.
  package init() {}

  /// The same time of day, a number of months later. If that month has no such day, its last day is used.
  package func adding(months: Int) -> CivilTime {
    var later = self
    let index = year * 12 + month - 1 + months
    later.year = Int(Int64(index).flooredQuotient(by: 12))
    later.month = index - later.year * 12 + 1
    later.day = min(day, Self.days(later.month, later.year))
    return later
  }

  /// The text without milliseconds, such as `2026-07-01T12:00:00`.
  ///
  /// - Parameters:
  ///   - separator: an ASCII character between day and time.
  ///   - suffix: a text after the time.
  package func text(separator: Character = "T", suffix: StaticString = "") -> String {
    String(unsafeUninitializedCapacity: 19 + suffix.utf8CodeUnitCount) { bytes in
      var end = 0
      func put(_ byte: UInt8) {
        bytes[end] = byte
        end += 1
      }
      func put(_ number: Int, _ digits: Int) {
        var divisor = digits == 4 ? 1000 : 10
        while divisor > 0 {
          put(UInt8(ascii: "0") + UInt8(number / divisor % 10))
          divisor /= 10
        }
      }
      put(year, 4)
      put(UInt8(ascii: "-"))
      put(month, 2)
      put(UInt8(ascii: "-"))
      put(day, 2)
      put(separator.asciiValue ?? UInt8(ascii: "T"))
      put(hour, 2)
      put(UInt8(ascii: ":"))
      put(minute, 2)
      put(UInt8(ascii: ":"))
      put(second, 2)
      for byte in UnsafeBufferPointer(start: suffix.utf8Start, count: suffix.utf8CodeUnitCount) { put(byte) }
      return end
    }
  }

  private static func days(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // In both conversions, a year begins in March, so that a leap day is the last day of its year. An era is 400 years,
  // which are always 146,097 days. There are 719,468 days from the beginning of era 0 to 1970-01-01.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(_ dayNumber: Int) -> (Int, Int, Int) {
    let shifted = dayNumber + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let place = (5 * dayOfYear + 2) / 153
    let month = place < 10 ? place + 3 : place - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * place + 2) / 5 + 1)
  }
}

extension Int64 {
  fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }
}
