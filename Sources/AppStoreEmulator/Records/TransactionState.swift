import StoreModel

/// The state of a transaction.
public enum TransactionState: String, Hashable, Sendable, Codable, CaseIterable {
  /// The app has not finished it.
  case unfinished
  case finished
  /// It was refunded, or the family share was revoked.
  case refunded
}

extension StoredTransaction {
  public var state: TransactionState {
    if record.revocationDate != nil { return .refunded }
    return finishedDate == nil ? .unfinished : .finished
  }
}

extension TransactionRecord {
  /// Whether the transaction is delivered until it is finished. True if it is not revoked, or if it is a consumable
  /// that was refunded only in part.
  var isDeliverable: Bool {
    revocationDate == nil || type == .consumable && revocationPercentage ?? Percentage.whole < Percentage.whole
  }

  /// The SQL condition for rows of `transactionRecord` whose record is ``isDeliverable``.
  static let isDeliverableSQL =
    "(revocationDate IS NULL OR (type = 'Consumable' AND revocationPercentage < \(Percentage.whole)))"
}
