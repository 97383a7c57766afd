import StoreModel

extension Milliunits {
  /// In digits with a point: two decimals, three where thousandths are there, none for whole amounts of a currency that
  /// has no smaller unit.
  ///
  /// - Parameter currency: an ISO 4217 code.
  func digits(in currency: String) -> String {
    let (whole, rest) = rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
    let sign = rawValue < 0 ? "-" : ""
    if rest == 0, ["CLP", "JPY", "KRW", "VND"].contains(currency) { return "\(sign)\(whole)" }
    var decimals = String(1000 + rest).dropFirst()
    if decimals.last == "0" { decimals.removeLast() }
    return "\(sign)\(whole).\(decimals)"
  }
}
