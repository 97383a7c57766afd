import StoreModel

/// An event in the timeline of a purchase.
public struct TimelineEntry: Hashable, Sendable {
  /// The date on the store's clock. Some records have whole seconds only.
  public let date: StoreDate
  public let event: Event

  public enum Event: Hashable, Sendable {
    /// A device's request: a quote or confirmation of the payment, the finish, or a request for unfinished transactions
    /// while the purchase was unfinished. Only requests that are still in the journal appear.
    case request(JournaledRequest)
    /// The payment was confirmed, and began to wait for approval.
    case approvalAwaited(PaymentID, InstallationID)
    /// The payment was approved. The charge follows.
    case approved
    /// The purchase was recorded, and charged unless it was free.
    case purchased(Charge?)
    /// The transaction was recorded as a family member's share of another purchase.
    case shared(of: TransactionID)
    /// The purchase was shared with a family member, who has a separate transaction.
    case sharedWith(AccountName, TransactionID)
    /// The app finished the transaction with this id.
    case finished(TransactionID, InstallationID?)
    /// The transaction was redelivered to its owner, without a charge.
    case redelivered(Redelivery)
    /// The customer asked for a refund.
    case refundRequested(RequestedRefund)
    /// The request for a refund was granted or declined. If it was granted, the refund follows.
    case refundDecided(RequestedRefund)
    /// The price, or a part of it, was refunded. The purchase was also revoked, unless the refund belongs to an upgrade to
    /// another plan.
    case refunded(Refund)
    case refundReversed(Refund)
    /// The purchase was revoked without a refund, because it was free, or because its family share ended.
    case revoked(RevocationType?)
  }
}
