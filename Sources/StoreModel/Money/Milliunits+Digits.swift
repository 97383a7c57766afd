extension Milliunits {
  /// In digits with a point, and as many decimals as there are, but no fewer than its currency usually has: `3.49`, `0.001`, `120`.
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

/// A share, as refunds of a part have it.
package enum Percentage {
  /// `50 %`, `33.333 %`.
  ///
  /// - Parameter thousandths: of a percent.
  package static func words(_ thousandths: Int) -> String {
    Milliunits(Int64(thousandths)).digits(fewestDecimals: 0) + " %"
  }
}
