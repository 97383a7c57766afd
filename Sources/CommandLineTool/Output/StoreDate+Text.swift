import StoreModel

extension StoreDate {
  /// RFC 3339 in UTC with milliseconds; beyond the years 1 to 9999, which that cannot write, the milliseconds.
  var rfc3339: String {
    let calendar = -62_135_769_600_000...253_402_300_799_999
    guard calendar.contains(Int(millisecondsSince1970)) else { return "\(millisecondsSince1970) ms since 1970" }
    return description
  }

  /// For people: `2024-05-01 10:00:00Z`.
  var readable: String {
    let text = rfc3339
    guard text.hasSuffix("Z") else { return text }
    return text.replacing("T", with: " ").replacing(".000Z", with: "Z")
  }
}
