import Foundation

/// The credits that a paid transaction granted.
public struct CreditGrantEntry: Hashable, Codable, Sendable {
  public let transactionIdentifier: String
  public let productIdentifier: String
  public let credits: Int
  public let date: Date

  /// Whether the transaction is a purchase of this product at this date. A transaction that is delivered again has its
  /// first date. Dates are compared with a tolerance of a second.
  func isOfPurchase(of productIdentifier: String, on date: Date) -> Bool {
    productIdentifier == self.productIdentifier && abs(date.timeIntervalSince(self.date)) < 1
  }

  /// Orders grants by date.
  static func isEarlier(_ one: CreditGrantEntry, _ other: CreditGrantEntry) -> Bool {
    (one.date, one.transactionIdentifier) < (other.date, other.transactionIdentifier)
  }
}

/// A spend of credits.
struct CreditSpendEntry: Hashable, Codable, Sendable {
  let key: UUID
  let credits: Int
  let date: Date
}
