extension StoreDate {
  /// Parses a date that a person typed, such as `2026-12-01T12:00:00.250Z`. Nil if the text is not a valid date.
  ///
  /// An offset other than `Z` is allowed. Without an offset, the text is in UTC. A blank may replace the `T`. The
  /// seconds may be omitted, and `2026-12-01` is midnight.
  package init?(typed text: String) {
    let pattern =
      /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[Tt\ ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,3}))?)?(?:[Zz]|([+\-])([0-9]{2}):?([0-9]{2}))?)?/
    guard let match = text.wholeMatch(of: pattern) else { return nil }
    func number(_ part: Substring?) -> Int { part.flatMap { Int($0) } ?? 0 }
    var time = CivilTime()
    (time.year, time.month, time.day) = (number(match.1), number(match.2), number(match.3))
    (time.hour, time.minute, time.second) = (number(match.4), number(match.5), number(match.6))
    if let fraction = match.7 {
      time.millisecond = number(fraction + String(repeating: "0", count: 3 - fraction.count))
    }
    let (offsetHours, offsetMinutes) = (number(match.9), number(match.10))
    // ``CivilTime`` accepts leap seconds, but a typed second of 60 is a mistake.
    guard time.second < 60, offsetHours < 24, offsetMinutes < 60, let date = time.date else { return nil }
    let offset = Int64((offsetHours * 60 + offsetMinutes) * 60)
    self = date.adding(seconds: match.8 == "-" ? offset : -offset)
  }
}
