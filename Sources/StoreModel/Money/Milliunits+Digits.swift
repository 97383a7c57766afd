extension Milliunits {
  /// In digits with a point, and as many decimals as there are, but at least two, or as many as the currency has: `3.49`, `5.00`,
  /// `0.001`. A whole amount of a currency without smaller units has none: `120`.
  ///
  /// - Parameter currency: an ISO 4217 code.
  package func digits(in currency: String) -> String {
    let (isWhole, decimals) = (rawValue % 1000 == 0, Currency(currency).decimals)
    return digits(fewestDecimals: isWhole && decimals == 0 ? 0 : max(2, decimals))
  }

  /// In digits with a point, and as many decimals as there are, up to three.
  package func digits(fewestDecimals: Int) -> String {
    let (whole, rest) = rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
    var decimals = String(1000 + rest).dropFirst()
    while decimals.count > fewestDecimals, decimals.last == "0" { decimals.removeLast() }
    return (rawValue < 0 ? "-" : "") + "\(whole)" + (decimals.isEmpty ? "" : ".\(decimals)")
  }
}
