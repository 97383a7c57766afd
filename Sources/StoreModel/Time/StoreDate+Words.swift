extension StoreDate {
  /// For people: `2026-07-01 12:00:00`, in UTC; with milliseconds where there are any. Beyond the years 1 to 9999, the milliseconds.
  package var words: String {
    guard isOfCalendar else { return "\(millisecondsSince1970) ms since 1970" }
    guard let time = gregorian else {
      return String(description.dropLast()).replacing("T", with: " ").replacing(".000", with: "")
    }
    let text = time.text(separator: " ")
    return time.millisecond == 0 ? text : "\(text).\(String(1000 + time.millisecond).dropFirst())"
  }

  /// Whether ``description`` is RFC 3339, which knows the years 1 to 9999.
  package var isOfCalendar: Bool { (-62_135_769_600_000...253_402_300_799_999).contains(millisecondsSince1970) }
}
