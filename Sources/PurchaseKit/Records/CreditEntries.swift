import Foundation

/// The credits that a paid transaction granted.
public struct CreditGrantEntry: Hashable, Codable, Sendable {
  public let transactionIdentifier: String
  public let productIdentifier: String
  public let credits: Int
  public let date: Date

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
