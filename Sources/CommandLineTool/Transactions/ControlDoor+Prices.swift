import StoreModel

extension ControlDoor.Transaction {
  /// What was charged, with its currency.
  var priceText: String { Milliunits(price).text(in: currency) }
}

extension Milliunits {
  /// With its currency, which comes from a stranger.
  func text(in currency: String) -> String { "\(digits(in: currency)) \(currency.madeVisible(limit: 10))" }
}

extension ControlDoor.Transaction {
  /// The share of the price that was given back, in percent: `50`, `33.333`.
  var refundedPercent: String? {
    revocationPercentage.map { thousandths in
      let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1_000)
      if rest == 0 { return "\(whole)" }
      var decimals = String(1_000 + rest).dropFirst()
      while decimals.last == "0" { decimals.removeLast() }
      return "\(whole).\(decimals)"
    }
  }
}
