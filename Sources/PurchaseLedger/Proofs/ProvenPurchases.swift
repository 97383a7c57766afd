import StoreModel

/// The purchases of a proof, by their ids.
struct ProvenPurchases {
  private let byID: [TransactionID: ProvenPurchase]
  private let byOriginal: [TransactionID: [ProvenPurchase]]
  private let redeliveries: [TransactionID: TransactionID]

  init(_ proof: VerifiedProof) {
    byID = Dictionary(proof.purchases.map { ($0.transactionID, $0) }) { first, _ in first }
    byOriginal = Dictionary(grouping: proof.purchases, by: \.originalTransactionID)
    redeliveries = proof.redeliveries
  }

  /// Returns the purchase with this transaction id, the one that a redelivery with this id has delivered again, or the newest one
  /// with this original transaction id.
  func purchase(_ id: TransactionID) -> ProvenPurchase? {
    byID[id] ?? redeliveries[id].flatMap { byID[$0] } ?? byOriginal[id]?.newest
  }

  /// Returns the purchases with an original transaction id, in the order of the proof.
  func all(original: TransactionID) -> [ProvenPurchase] { byOriginal[original] ?? [] }
}

extension [ProvenPurchase] {
  /// The newest of several purchases with the same original transaction id. Unrevoked purchases take precedence over
  /// revoked ones. Within each kind, the latest purchase date decides.
  var newest: ProvenPurchase? {
    dropFirst().reduce(first) { newest, next in newest.map { next.isNewer(than: $0) ? next : $0 } }
  }
}

extension ProvenPurchase {
  fileprivate func isNewer(than other: ProvenPurchase) -> Bool {
    if (revocation == nil) != (other.revocation == nil) { return revocation == nil }
    return (purchaseDate, expiresDate ?? purchaseDate) > (other.purchaseDate, other.expiresDate ?? other.purchaseDate)
  }
}
