import StoreModel

/// The purchases of a proof that belong to one claim: of an auto-renewable subscription, its periods.
struct ClaimableGroup {
  let key: PurchaseKey
  let type: ProductType
  var purchases: [ProvenPurchase]
}

extension LedgerTransaction {
  /// What a proof has, in the order in which statements are locked. Purchases of which nobody says what type they are are
  /// left out.
  func claimable(_ proof: VerifiedProof, _ products: inout ListedProducts) throws -> [ClaimableGroup] {
    var groups: [PurchaseKey: ClaimableGroup] = [:]
    for purchase in proof.purchases {
      guard let type = try purchase.type ?? products.product(purchase.productID)?.type else { continue }
      let key = PurchaseKey(app: proof.app, environment: proof.environment, id: purchase.claimID(type))
      groups[key, default: ClaimableGroup(key: key, type: type, purchases: [])].purchases.append(purchase)
    }
    return groups.values.sorted { $0.key.id < $1.key.id }
  }
}
