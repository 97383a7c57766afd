import StoreKit

extension SKProduct {
  /// The price in the format of the product's storefront.
  ///
  /// Formatters omit the decimals of some currencies, such as IDR. A price that is not whole is written with decimals, so
  /// that it is the one that the customer is asked to confirm.
  public var displayPrice: String { price.displayText(in: priceLocale) }
}

extension NSDecimalNumber {
  func displayText(in locale: Locale) -> String {
    let formatter = NumberFormatter()
    formatter.numberStyle = .currency
    formatter.locale = locale
    if self != rounding(accordingToBehavior: Self.whole) {
      formatter.maximumFractionDigits = max(2, formatter.maximumFractionDigits)
      formatter.minimumFractionDigits = max(2, formatter.minimumFractionDigits)
    }
    return formatter.string(from: self) ?? "\(self)"
  }

  private static let whole = NSDecimalNumberHandler(
    roundingMode: .plain, scale: 0, raiseOnExactness: false, raiseOnOverflow: false, raiseOnUnderflow: false,
    raiseOnDivideByZero: false)
}
