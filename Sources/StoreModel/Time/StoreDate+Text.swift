extension StoreDate {
  /// The date for people: `2026-07-01 12:00:00` in UTC, with milliseconds unless they are 0.
  ///
  /// For years other than 1 to 9999, it is the number of milliseconds since 1970.
  package var text: String {
    guard isOfCalendar else { return "\(millisecondsSince1970) ms since 1970" }
    guard let time = gregorian else {
      return String(description.dropLast()).replacing("T", with: " ").replacing(".000", with: "")
    }
    let text = time.text(separator: " ")
    return time.millisecond == 0 ? text : "\(text).\(String(1000 + time.millisecond).dropFirst())"
  }

  /// Whether the year is 1 to 9999, so that ``description`` is valid RFC 3339.
  package var isOfCalendar: Bool { (-62_135_769_600_000...253_402_300_799_999).contains(millisecondsSince1970) }
}
