import StoreModel

extension StoreDate {
  /// RFC 3339 in UTC with milliseconds; beyond the years 1 to 9999, which that cannot write, the milliseconds.
  var rfc3339: String { isOfCalendar ? description : words }

  /// For people: `2024-05-01 10:00:00Z`.
  var readable: String { isOfCalendar ? words + "Z" : words }
}
