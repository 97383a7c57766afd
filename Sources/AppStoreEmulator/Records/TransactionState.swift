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
