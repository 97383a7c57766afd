import StoreModel

/// When and how the ledger learnt of the changes of a transaction. The rules write it beside the values of their rows, from which
/// the database makes events (Documentation/ledger-events.md).
public struct LedgerChange: Hashable, Sendable {
  /// How the ledger learnt of a change.
  public enum Cause: String, CaseIterable, Hashable, Codable, Sendable {
    /// An app has sent a proof.
    case redemption
    /// An operator's file has named the purchase.
    case `import`
    /// The store has sent a notification.
    case notification
    /// The notification was read from the store's history.
    case history
    /// The store was asked about a stored proof.
    case reverification
    case `operator`
    /// The customer has asked for it, as for an erasure.
    case customer
  }

  let date: StoreDate
  /// Nil if the change follows from an earlier one.
  var cause: Cause?
}

extension LedgerChange.Cause: SQLValueConvertible {}
