extension Milliunits {
  /// In digits with a point, and as many decimals as there are, but at least two: `3.49`, `5.00`, `0.001`. A whole amount of a currency
  /// without smaller units has none: `120`.
  ///
  /// - Parameter currency: an ISO 4217 code.
  package func digits(in currency: String) -> String {
    let isWhole = rawValue % 1000 == 0
    return digits(fewestDecimals: isWhole && Self.currenciesWithoutDecimals.contains(currency) ? 0 : 2)
  }

  /// In digits with a point, and as many decimals as there are, up to three.
  package func digits(fewestDecimals: Int) -> String {
    let (whole, rest) = rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
    var decimals = String(1000 + rest).dropFirst()
    while decimals.count > fewestDecimals, decimals.last == "0" { decimals.removeLast() }
    return (rawValue < 0 ? "-" : "") + "\(whole)" + (decimals.isEmpty ? "" : ".\(decimals)")
  }

  /// Those of the storefronts whose currency has no smaller unit in use.
  private static let currenciesWithoutDecimals: Set = ["CLP", "JPY", "KRW", "VND"]
}
