import Foundation

/// A customer's balance of one unit of credits on the server.
public struct ServerCreditBalance: Hashable, Decodable, Sendable {
  public let unit: String
  /// Negative if the customer has a debt.
  public let balance: Int64
  /// The number of movements, which is the sequence number of the last one.
  public let movements: Int64
  public let isSpendingBlocked: Bool
}

/// One change of a balance on the server.
public struct ServerCreditMovement: Hashable, Decodable, Sendable {
  /// The number of the movement in its account, from 1.
  public let sequence: Int64
  /// Positive if the customer received credits.
  public let amount: Int64
  /// The balance after the movement.
  public let balance: Int64
  /// `purchase`, `refund`, `spend` and so on; see Documentation/purchase-ledger.md, "Credits".
  public let cause: String
  public let key: String
  public let date: Date
  /// Identifies the server's ledger, in the response to a spend. Only sequence numbers of the same incarnation can be
  /// compared. Nil in the history, and from older servers.
  public let incarnation: String?
}
