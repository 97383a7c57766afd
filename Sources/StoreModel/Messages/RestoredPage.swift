/// The position in a restore after which the next page begins. Devices must not interpret it.
public struct RestoreCursor: Hashable, Codable, Sendable {
  /// The sequence number of the last transaction on the pages so far.
  public let after: Int64
  /// The sequence number of the last transaction when the restore began. Later purchases are not part of the restore.
  public let through: Int64
  /// The account whose purchases are restored.
  public let account: AccountName

  public init(after: Int64, through: Int64, account: AccountName) {
    self.after = after
    self.through = through
    self.account = account
  }
}

/// A page of the purchases that a customer restores.
public struct RestoredPage: Hashable, Codable, Sendable {
  /// Each delivery has a ``TransactionDelivery/redelivery``.
  public let batch: DeliveryBatch
  /// The cursor of the next page; nil after the last page.
  public let next: RestoreCursor?

  public init(batch: DeliveryBatch, next: RestoreCursor?) {
    self.batch = batch
    self.next = next
  }
}
