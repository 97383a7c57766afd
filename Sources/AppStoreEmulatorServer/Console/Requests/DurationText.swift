import Foundation

enum DurationText {
  /// A duration in a fitting unit, such as `850 µs`, `12.3 ms` or `3.00 s`. From 1 ms it has at least three significant
  /// digits.
  static func text(microseconds: Int64) -> String {
    guard microseconds >= 1_000 else { return "\(microseconds) µs" }
    // A duration that would be rounded to a thousand milliseconds is in seconds.
    let (value, unit) =
      microseconds < 999_500 ? (Double(microseconds) / 1e3, "ms") : (Double(microseconds) / 1e6, "s")
    let decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
    return String(format: "%.\(decimals)f", value) + " \(unit)"
  }
}
