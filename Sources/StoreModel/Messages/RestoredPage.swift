/// How far a restore has come. Opaque to devices.
public struct RestoreCursor: Hashable, Codable, Sendable {
  /// The last record that was restored.
  public let after: Int64
  /// The last record there was when the restore began: what is bought meanwhile is not part of it.
  public let through: Int64
  /// Whose purchases are restored.
  public let account: AccountName

  public init(after: Int64, through: Int64, account: AccountName) {
    self.after = after
    self.through = through
    self.account = account
  }
}

/// A part of what an account owns, brought back.
public struct RestoredPage: Hashable, Codable, Sendable {
  /// Each with its ``TransactionDelivery/redelivery``.
  public let batch: DeliveryBatch
  /// Where the next page begins; nil after the last one.
  public let next: RestoreCursor?

  public init(batch: DeliveryBatch, next: RestoreCursor?) {
    self.batch = batch
    self.next = next
  }
}
