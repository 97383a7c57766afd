import StoreModel

/// A transaction and what the books hold about it besides.
public struct TransactionDetails: Hashable, Sendable {
  public let stored: StoredTransaction
  /// Nil where nothing was to pay.
  public let charge: Charge?
  /// When its owner was delivered it once more, oldest first. A restore leaves none.
  public let redeliveries: [Redelivery]
  /// What was given back, and taken again, oldest first.
  public let refunds: [Refund]
  /// What other members of the family have of it, or had.
  public let shares: [StoredTransaction]
}
