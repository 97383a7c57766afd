extension Milliunits {
  /// The amount as digits with a decimal point: `3.49`, `5.00`, `0.001`.
  ///
  /// There are as many decimals as needed, but at least two, and at least as many as the currency has. A whole amount
  /// of a currency without decimals has no decimals: `120`.
  ///
  /// - Parameter currency: an ISO 4217 code.
  package func digits(in currency: String) -> String {
    let (isWhole, decimals) = (rawValue % 1000 == 0, Currency(currency).decimals)
    return digits(fewestDecimals: isWhole && decimals == 0 ? 0 : max(2, decimals))
  }

  /// The amount as digits with a decimal point, and with as many decimals as needed, from `fewestDecimals` to 3.
  package func digits(fewestDecimals: Int) -> String {
    let (whole, rest) = rawValue.magnitude.quotientAndRemainder(dividingBy: 1000)
    var decimals = String(1000 + rest).dropFirst()
    while decimals.count > fewestDecimals, decimals.last == "0" { decimals.removeLast() }
    return (rawValue < 0 ? "-" : "") + "\(whole)" + (decimals.isEmpty ? "" : ".\(decimals)")
  }
}
