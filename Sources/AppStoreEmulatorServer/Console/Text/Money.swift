import StoreModel

/// Amounts for the console's lists: `3.49 USD`. They contain the currency code, because several currencies share a
/// symbol.
enum Money {
  static func text(_ amount: Milliunits, _ currency: String) -> String {
    amount.digits(in: currency).replacing("-", with: "−") + " \(currency)"
  }

  /// The amount for a form field: without a currency, and with as few decimals as possible, but at least two.
  static func field(_ amount: Milliunits) -> String { amount.digits(fewestDecimals: 2) }
}
