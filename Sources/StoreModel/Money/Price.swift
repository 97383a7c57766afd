import Foundation

/// An amount of money and its currency.
public struct Price: Hashable, Codable, Sendable {
  public let amount: Milliunits
  /// An ISO 4217 code, such as `USD`.
  public let currency: String

  public init(amount: Milliunits, currency: String) {
    self.amount = amount
    self.currency = currency
  }

  /// The total of `quantity` items, or nil if it does not fit into `Int64`.
  public func multiplied(by quantity: Int) -> Price? {
    amount.multiplied(by: quantity).map { Price(amount: $0, currency: currency) }
  }

  /// The price in the notation of `locale`, such as `$1.99`.
  ///
  /// Formatters omit the decimals of some currencies that have decimals in ISO 4217, such as IDR. An amount of such a
  /// currency that is not whole is written with its decimals, so that it is not rounded.
  public func formatted(locale: Locale) -> String {
    let style = Decimal.FormatStyle.Currency(code: currency, locale: locale)
    let decimals = Currency(currency).decimals
    let needsDecimals = decimals > 0 && amount.rawValue % 1000 != 0
    return amount.decimal.formatted(needsDecimals ? style.precision(.fractionLength(decimals)) : style)
  }
}
