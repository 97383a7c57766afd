import Foundation
import StoreModel

/// Reads `Retry-After` (RFC 9110, section 10.2.3), which is a number of seconds or a date. UNIX milliseconds, which the App Store
/// Server API uses, are accepted, too.
///
/// A date is compared with the response's own `Date`, because this machine's clock may be wrong by hours. Invalid values are
/// ignored.
package enum RetryAfter {
  /// The maximum wait, in seconds.
  package static let longestSeconds = 3_600

  /// Returns the wait in seconds, 0 to ``longestSeconds``; nil if there is no valid value.
  ///
  /// - Parameters:
  ///   - header: the value of `Retry-After`.
  ///   - date: the value of `Date`.
  ///   - now: used if the response has no valid `Date`; nil to ignore dates then.
  package static func seconds(_ header: String?, date: String?, now: StoreDate? = nil) -> Int? {
    guard let header = header?.trimmingCharacters(in: .whitespaces), !header.isEmpty else { return nil }
    if header.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      let number = Int(header) ?? .max
      guard number >= smallestInstant else { return min(number, longestSeconds) }
      return seconds(until: Date(timeIntervalSince1970: Double(number) / 1_000), from: date, now)
    }
    return instant(header).flatMap { seconds(until: $0, from: date, now) }
  }

  /// Numbers of at least this size are UNIX milliseconds, not seconds. In milliseconds this number is a date in 2001;
  /// in seconds it would be more than 30,000 years.
  private static let smallestInstant = 1_000_000_000_000

  private static func seconds(until end: Date, from date: String?, _ now: StoreDate?) -> Int? {
    guard let start = date.flatMap(instant) ?? now?.date else { return nil }
    return Int(min(max(end.timeIntervalSince(start).rounded(.up), 0), Double(longestSeconds)))
  }

  private static func instant(_ text: String) -> Date? {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.date(from: text)
  }
}
