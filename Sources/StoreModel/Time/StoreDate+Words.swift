extension StoreDate {
  /// For people: `2026-07-01 12:00:00`, in UTC; with milliseconds where there are any. Beyond the years 0 to 9999, the milliseconds.
  package var words: String {
    guard let time = CivilTime(self) else { return "\(millisecondsSince1970) ms since 1970" }
    let text = time.text(separator: " ")
    return time.millisecond == 0 ? text : "\(text).\(String(1000 + time.millisecond).dropFirst())"
  }
}
