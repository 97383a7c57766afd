import StoreModel

extension StoreDate {
  /// The date in RFC 3339, in UTC with milliseconds. A date outside the years 1 to 9999 is written as milliseconds
  /// since 1970.
  var rfc3339: String { isOfCalendar ? description : text }

  /// The date for people: `2024-05-01 10:00:00Z`.
  var readable: String { isOfCalendar ? text + "Z" : text }
}
