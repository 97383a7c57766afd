import StoreModel

/// Amounts as the console's lists write them: `3.49 USD`. Many currencies share a sign, so the code is written.
enum Money {
  static func text(_ amount: Milliunits, _ currency: String) -> String {
    amount.digits(in: currency).replacing("-", with: "−") + " \(currency)"
  }

  /// As a form's field has it: no sign of a currency, no more decimals than there are.
  static func field(_ amount: Milliunits) -> String { amount.digits(fewestDecimals: 2) }
}
