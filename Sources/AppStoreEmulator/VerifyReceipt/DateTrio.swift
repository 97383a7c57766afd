import Foundation
import StoreModel

/// A date as in answers of `verifyReceipt`: three fields, in GMT, in milliseconds, and in Pacific time.
struct DateTrio {
  /// Nil if the system has no time zone data.
  static let pacific = TimeZone(identifier: "America/Los_Angeles")

  /// The names of the three fields.
  struct Names {
    let gmt: StaticString
    let milliseconds: StaticString
    let pacific: StaticString

    static let purchase = Names(
      gmt: "purchase_date", milliseconds: "purchase_date_ms", pacific: "purchase_date_pst")
    static let originalPurchase = Names(
      gmt: "original_purchase_date", milliseconds: "original_purchase_date_ms", pacific: "original_purchase_date_pst")
    static let expires = Names(gmt: "expires_date", milliseconds: "expires_date_ms", pacific: "expires_date_pst")
    static let cancellation = Names(
      gmt: "cancellation_date", milliseconds: "cancellation_date_ms", pacific: "cancellation_date_pst")
    static let gracePeriod = Names(
      gmt: "grace_period_expires_date", milliseconds: "grace_period_expires_date_ms",
      pacific: "grace_period_expires_date_pst")
    static let receiptCreation = Names(
      gmt: "receipt_creation_date", milliseconds: "receipt_creation_date_ms", pacific: "receipt_creation_date_pst")
    static let request = Names(gmt: "request_date", milliseconds: "request_date_ms", pacific: "request_date_pst")
    static let expiration = Names(
      gmt: "expiration_date", milliseconds: "expiration_date_ms", pacific: "expiration_date_pst")
  }

  let gmt: String
  let milliseconds: String
  let pacific: String

  init(_ date: StoreDate) {
    gmt = Self.text(date, " Etc/GMT")
    milliseconds = String(date.millisecondsSince1970)
    pacific = Self.text(date.adding(seconds: PacificOffset.seconds(at: date)), " America/Los_Angeles")
  }

  /// Passes the three fields to `put`.
  func put(_ names: Names, _ put: (StaticString, String) -> Void) {
    put(names.gmt, gmt)
    put(names.milliseconds, milliseconds)
    put(names.pacific, pacific)
  }

  private static func text(_ date: StoreDate, _ zone: StaticString) -> String {
    // ``CivilTime`` is nil only for years for which the store signs nothing.
    CivilTime(date)?.text(separator: " ", suffix: zone) ?? "\(date.millisecondsSince1970)\(zone)"
  }
}

/// Formats dates, and caches the last four results.
///
/// Dates repeat: a subscription period begins when the previous period ends, and all periods have the same original
/// purchase date.
struct DateTrioCache {
  private var recent: [(date: StoreDate, trio: DateTrio)] = []
  private var next = 0

  mutating func trio(_ date: StoreDate) -> DateTrio {
    if let known = recent.first(where: { $0.date == date }) { return known.trio }
    let trio = DateTrio(date)
    if recent.count < 4 {
      recent.append((date, trio))
    } else {
      recent[next] = (date, trio)
      next = (next + 1) % recent.count
    }
    return trio
  }
}

/// The offset of Pacific time from GMT.
///
/// An answer may have 100,000 dates, so the last computed offset is kept. It is used for all dates from its own date to
/// the next daylight saving transition.
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
