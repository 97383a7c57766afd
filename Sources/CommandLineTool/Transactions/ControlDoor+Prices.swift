import StoreModel

extension ControlDoor.Transaction {
  /// What was charged, with its currency.
  var priceText: String { Milliunits(price).text(in: currency) }
}

extension Milliunits {
  /// With its currency, which comes from a stranger.
  func text(in currency: String) -> String { "\(digits(in: currency)) \(currency.madeVisible(limit: 10))" }
}
