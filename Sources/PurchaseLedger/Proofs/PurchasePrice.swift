import StoreModel

/// The price of a transaction, as the store has signed it: for the whole quantity, with the offer applied.
public struct PurchasePrice: Hashable, Codable, Sendable {
  /// Thousandths of the currency's unit: 1.99 is 1990. At least 0; 0 for a free trial.
  public let milliunits: Int64
  /// An ISO 4217 code, such as `EUR`.
  public let currency: String

  /// The largest amount that is recorded. It is thousands of times below the limit of 64 bits, so that sums do not overflow.
  static let largest: Int64 = 1_000_000_000_000_000

  public init(milliunits: Int64, currency: String) {
    self.milliunits = milliunits
    self.currency = currency
  }

  /// Returns nil if one of both is missing or is no amount or code: the price is unknown then.
  init?(_ price: Milliunits?, _ currency: String?) {
    guard let price, let currency, (0...Self.largest).contains(price.rawValue), currency.utf8.count == 3,
      currency.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
    else { return nil }
    self.init(milliunits: price.rawValue, currency: currency)
  }
}

/// The kind of a period of a subscription, by the offer with which it was bought.
public enum PurchasePeriodType: String, CaseIterable, Hashable, Codable, Sendable {
  case normal = "NORMAL"
  /// Free, with any kind of offer.
  case trial = "TRIAL"
  /// With another offer: introductory, promotional, of an offer code, or to win a customer back.
  case intro = "INTRO"
}

extension PurchasePeriodType: SQLValueConvertible {}

extension SQLRow {
  /// Reads a price from two columns; nil if it is unknown.
  func price(_ name: String = "price", _ currency: String = "currency") throws(LedgerDatabaseError) -> PurchasePrice? {
    guard let milliunits = try optionalInteger(name) else { return nil }
    return PurchasePrice(milliunits: milliunits, currency: try text(currency))
  }

  /// Reads a value of an enumeration, or another type with a text as its raw value; nil if the column is NULL.
  func optionalValue<Value: RawRepresentable<String>>(
    _ name: String, _ type: Value.Type = Value.self
  ) throws(LedgerDatabaseError) -> Value? {
    guard try optionalText(name) != nil else { return nil }
    return try value(name, type)
  }
}
