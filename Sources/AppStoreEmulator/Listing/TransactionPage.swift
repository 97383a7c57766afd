import StoreModel

/// A part of the list of transactions, newest first.
public struct TransactionPage: Hashable, Sendable {
  public let transactions: [StoredTransaction]
  /// What to ask for as `before` to get the page after this one; nil on the last.
  public let next: Int64?
}
