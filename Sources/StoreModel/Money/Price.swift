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
  public func formatted(locale: Locale) -> String {
    amount.decimal.formatted(.currency(code: currency).locale(locale))
  }
}
