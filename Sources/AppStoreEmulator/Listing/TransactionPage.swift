import StoreModel

/// A page of the list of transactions, newest first.
public struct TransactionPage: Hashable, Sendable {
  public let transactions: [StoredTransaction]
  /// The value of ``RecordFilter/before`` for the next page; nil on the last page.
  public let next: Int64?
}
