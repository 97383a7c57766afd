import Foundation

/// Reads `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. The App Store Server API writes UNIX milliseconds;
/// they are understood here, too.
///
/// A date is compared with the answer's own `Date`, both being the store's: this machine's clock may be hours off. What
/// is neither is as if it were not there.
enum RetryAfter {
  /// Longer than this nobody is made to wait, in seconds.
  static let longestSeconds = 3_600

  /// In seconds, 0 to ``longestSeconds``; nil if there is none.
  static func seconds(_ header: String?, date: String?) -> Int? {
    guard let header = header?.trimmingCharacters(in: .whitespaces), !header.isEmpty else { return nil }
    if header.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      let number = Int(header) ?? .max
      guard number >= smallestInstant else { return min(number, longestSeconds) }
      return seconds(until: Date(timeIntervalSince1970: Double(number) / 1_000), from: date)
    }
    return instant(header).flatMap { seconds(until: $0, from: date) }
  }

  /// As UNIX milliseconds a day of 2001; as seconds longer than anybody waits.
  private static let smallestInstant = 1_000_000_000_000

  private static func seconds(until end: Date, from date: String?) -> Int? {
    guard let start = date.flatMap(instant) else { return nil }
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
