import StoreModel

/// A transaction and the records that belong to it.
public struct TransactionDetails: Hashable, Sendable {
  public let stored: StoredTransaction
  /// Nil for a free product.
  public let charge: Charge?
  /// The redeliveries to the owner for confirmed payments, oldest first. A restore stores none.
  public let redeliveries: [Redelivery]
  /// The refunds and their reversals, oldest first.
  public let refunds: [Refund]
  /// The transactions of family members that share the purchase, or shared it.
  public let shares: [StoredTransaction]
}
