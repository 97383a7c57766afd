import Foundation
import StoreModel

/// A date as in answers of `verifyReceipt`: three fields, in GMT, in milliseconds, and in Pacific time.
struct DateTrio {
  /// Nil if the system has no time zone data.
  static let pacific = TimeZone(identifier: "America/Los_Angeles")

  let date: StoreDate

  /// The three fields for a base name such as `purchase_date`.
  func fields(_ name: String) -> [(String, String)] {
    [
      (name, Self.text(date) + " Etc/GMT"),
      (name + "_ms", String(date.millisecondsSince1970)),
      (name + "_pst", Self.text(date.adding(seconds: PacificOffset.seconds(at: date))) + " America/Los_Angeles"),
    ]
  }

  private static func text(_ date: StoreDate) -> String {
    // ``CivilTime`` is nil only for years for which the store signs nothing.
    CivilTime(date)?.text(separator: " ") ?? String(date.millisecondsSince1970)
  }
}

/// The offset of Pacific time from GMT.
///
/// The offset is cached until the next daylight saving transition, because an answer may have 100,000 dates.
private enum PacificOffset {
  private struct Known {
    let dates: Range<Date>
    let seconds: Int64
  }

  private static let known = LockedValue<Known?>(nil)

  static func seconds(at date: StoreDate) -> Int64 {
    guard let pacific = DateTrio.pacific else { return 0 }
    let date = date.date
    if let known = known.value, known.dates.contains(date) { return known.seconds }
    let seconds = Int64(pacific.secondsFromGMT(for: date))
    // Far in the past and in the future there may be no further transition.
    let end = pacific.nextDaylightSavingTimeTransition(after: date) ?? date.addingTimeInterval(1)
    known.withLock { $0 = Known(dates: date..<max(date, end), seconds: seconds) }
    return seconds
  }
}
