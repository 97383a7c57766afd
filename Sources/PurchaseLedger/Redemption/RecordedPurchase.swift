import StoreModel

/// What the ledger has recorded under the transaction ids of a proof's purchases. It shows whether the store has sold another
/// purchase under one of these ids (Documentation/purchase-ledger.md, "One id, two purchases").
///
/// It may be read before the locks are held: a claim's product, type, quantity and dates never change. If another customer claims
/// the id meanwhile, the write needs that customer's lock, and starts again.
struct RecordedPurchase {
  let group: ClaimableGroup
  private let claimRow: PendingAnswer
  /// The claim or period with the status id of each purchase.
  private let periodRows: [PendingAnswer]

  /// Requests the rows, at the latest when one of them is read.
  init(_ group: ClaimableGroup, _ transaction: LedgerTransaction) throws {
    self.group = group
    periodRows = try group.statusIDs.map { id in
      // A claim with the id of a renewal is another purchase.
      try transaction.later(
        """
        SELECT id AS claim, product, purchased FROM claim WHERE app = $1 AND environment = $2 AND id = $3 AND id <> $4
        UNION ALL
        SELECT claim, product, purchased FROM claim_period WHERE app = $1 AND environment = $2 AND id = $3
        """, group.key.app, group.key.environment, id, group.key.id)
    }
    claimRow = try transaction.claimLater(group.key)
  }

  var claim: Claim? { get throws { try claimRow.row.map(Claim.init) } }

  /// Whether another purchase than that of the proof is recorded. Only what every proof of a purchase states in the same way is
  /// compared, so this is certain.
  var isOther: Bool {
    get throws {
      let claim = try claim
      if let claim {
        if group.purchases.contains(where: { claim.isOther(than: $0, group.type) }) { return true }
        guard group.type == .autoRenewableSubscription else { return false }
      }
      return try zip(group.purchases, periodRows).contains { purchase, answer in
        guard let row = try answer.row else { return false }
        if try row.identifier("product") != purchase.productID { return true }
        // The operator had published the product with another type at first.
        guard group.type == .autoRenewableSubscription else { return false }
        let recorded: TransactionID = try row.value("claim")
        let isShared = [claim?.ownership, purchase.ownership].contains(.familyShared)
        return try recorded != group.key.id
          || !isShared && row.date("purchased").isOtherSecond(than: purchase.purchaseDate)
      }
    }
  }
}

extension LedgerTransaction {
  /// Returns the claim on a purchase of a proof; nil if there is none, or if the claim is on another purchase with the same id.
  func claim(on purchase: ProvenPurchase, _ type: ProductType, of proof: VerifiedProof) throws -> Claim? {
    let group = ClaimableGroup(key: proof.claimKey(of: purchase, type), type: type, purchases: [purchase])
    let recorded = try RecordedPurchase(group, self)
    return try recorded.isOther ? nil : recorded.claim
  }
}

extension Claim {
  fileprivate func isOther(than purchase: ProvenPurchase, _ type: ProductType) -> Bool {
    let isRenewable = type == .autoRenewableSubscription
    guard (self.type == .autoRenewableSubscription) == isRenewable else { return true }
    // The product of a subscription changes with its plan. Apple's renewals do not all have the same original purchase date.
    guard !isRenewable else { return false }
    let isShared = [ownership, purchase.ownership].contains(.familyShared)
    return product != purchase.productID
      || purchase.statesQuantity && quantity != Int64(purchase.quantity)
      || !isShared && purchased.isOtherSecond(than: purchase.originalPurchaseDate)
  }
}

extension ClaimableGroup {
  /// The id under which the status of each purchase is stored: each period of an auto-renewable subscription has its own status.
  fileprivate var statusIDs: [TransactionID] {
    purchases.map { type == .autoRenewableSubscription ? $0.transactionID : key.id }
  }
}

extension StoreDate {
  /// Whether two dates differ by 2 seconds or more. Receipts have whole seconds, which may be rounded.
  fileprivate func isOtherSecond(than other: StoreDate) -> Bool {
    abs(millisecondsSince1970 - other.millisecondsSince1970) >= 2000
  }
}
