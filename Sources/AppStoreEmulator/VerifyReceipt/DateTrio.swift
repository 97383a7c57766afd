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
      (name, Self.text(date, in: .gmt) + " Etc/GMT"),
      (name + "_ms", String(date.millisecondsSince1970)),
      (name + "_pst", Self.text(date, in: Self.pacific ?? .gmt) + " America/Los_Angeles"),
    ]
  }

  private static func text(_ date: StoreDate, in timeZone: TimeZone) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date.date)
    return String(
      format: "%04d-%02d-%02d %02d:%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0,
      parts.minute ?? 0, parts.second ?? 0)
  }
}
