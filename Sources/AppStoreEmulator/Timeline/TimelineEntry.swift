import StoreModel

/// Something that happened to a purchase.
public struct TimelineEntry: Hashable, Sendable {
  /// On the store's clock. What the books have in whole seconds is told in whole seconds.
  public let date: StoreDate
  public let event: Event

  public enum Event: Hashable, Sendable {
    /// A device's call about its payment: the quote, the confirmation, the finish, or, of the installation it waited for, the
    /// call for what is unfinished. Only of requests that the journal still has.
    case request(JournaledRequest)
    /// It was confirmed, and waited for somebody's approval from then on.
    case approvalAwaited(PaymentID, InstallationID)
    /// It was approved; the charge follows.
    case approved
    /// It came into the books, and was charged unless nothing was to pay.
    case purchased(Charge?)
    /// It came into the books as the share of a member of the purchaser's family.
    case shared(of: TransactionID)
    /// A member of the family was given it, as a record of the member's own.
    case sharedWith(AccountName, TransactionID)
    /// The app finished it, under this id.
    case finished(TransactionID, InstallationID?)
    /// Its owner was delivered it once more, without charge.
    case redelivered(Redelivery)
    /// Money was given back, and what was bought was taken back.
    case refunded(Refund)
    /// The refund was taken back.
    case refundReversed(Refund)
    /// It was taken back without money: because it was free, or its share in the family ended.
    case revoked(RevocationType?)
  }
}
