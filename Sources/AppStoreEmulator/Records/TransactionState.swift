/// What has become of a transaction.
public enum TransactionState: String, Hashable, Sendable, Codable, CaseIterable {
  /// The app has not finished it.
  case unfinished
  case finished
  /// It was refunded, or taken back from a member of the family.
  case refunded
}

extension StoredTransaction {
  public var state: TransactionState {
    if record.revocationDate != nil { return .refunded }
    return finishedDate == nil ? .unfinished : .finished
  }
}
