import StoreModel

/// Who sends a proof. It decides whether a bare transaction id is accepted, which everybody may know: it is on screenshots, in
/// support mails and in the customer's list of purchases.
public enum ProofSender: Hashable, Sendable {
  /// Somebody whose name the ledger does not know. Transaction ids are refused, and the store is not asked.
  case anonymous
  /// An app whose customer is identified. A transaction id is accepted if the `appAccountToken` that the store returns is the
  /// customer's id.
  case customer(CustomerID)
  /// An operator, or an import. Transaction ids are accepted.
  case administrator

  /// Whether the store is asked about a transaction id of this sender.
  var maySendTransactionIDs: Bool { self != .anonymous }

  /// Whether the sender may redeem a purchase that the store returned for a transaction id.
  func mayRedeem(_ purchase: ProvenPurchase) -> Bool {
    switch self {
    case .anonymous: false
    case .customer(let customer): purchase.appAccountToken == customer.rawValue
    case .administrator: true
    }
  }
}
