import StoreModel

/// A transaction and the records that belong to it.
public struct TransactionDetails: Hashable, Sendable {
  public let stored: StoredTransaction
  /// Nil for a free product.
  public let charge: Charge?
  /// The redeliveries to the owner, who bought the product again, and was not charged; oldest first. Redeliveries by a
  /// restore are not stored.
  public let redeliveries: [Redelivery]
  /// The refunds and their reversals, oldest first.
  public let refunds: [Refund]
  /// The family members' transactions of this purchase, including revoked shares.
  public let shares: [StoredTransaction]
  /// Whether there are older redeliveries, refunds or shares. Only the newest ``largestNumber`` of each are here.
  public let hasOlder: Bool

  /// The maximum number of redeliveries, of refunds with their reversals, and of shares.
  public static let largestNumber = 1_000
}
