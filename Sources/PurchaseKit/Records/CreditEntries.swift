import Foundation

/// Credits that a paid transaction gave.
public struct CreditGrantEntry: Hashable, Codable, Sendable {
  public let transactionIdentifier: String
  public let productIdentifier: String
  public let credits: Int
  public let date: Date
}

/// Credits that were spent.
struct CreditSpendEntry: Hashable, Codable, Sendable {
  let key: UUID
  let credits: Int
  let date: Date
}
