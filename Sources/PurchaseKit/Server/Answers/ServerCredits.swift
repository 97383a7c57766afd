import Foundation

/// What a customer has of one unit of credits, by the server's books.
public struct ServerCreditBalance: Hashable, Decodable, Sendable {
  public let unit: String
  /// Below zero for a debt.
  public let balance: Int64
  /// How many movements there were: the last one's sequence number.
  public let movements: Int64
  public let isSpendingBlocked: Bool
}

/// One change of a credit account, by the server's books.
public struct ServerCreditMovement: Hashable, Decodable, Sendable {
  /// 1 for the first of the account.
  public let sequence: Int64
  /// More than 0 for what the customer got.
  public let amount: Int64
  /// What there was after it.
  public let balance: Int64
  /// `purchase`, `refund`, `spend` and so on: Documentation/purchase-ledger.md, "Credits".
  public let cause: String
  public let key: String
  public let date: Date
  /// Of the server's ledger, in the answer to a spend: only numbers of the same incarnation can be compared. Nil in a page
  /// of the history, and from a server of a version that has none.
  public let incarnation: String?
}
