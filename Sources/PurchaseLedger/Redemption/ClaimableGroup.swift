import StoreModel

/// The purchases of a proof that belong to one claim. For an auto-renewable subscription, these are its periods.
struct ClaimableGroup {
  let key: PurchaseKey
  let type: ProductType
  var purchases: [ProvenPurchase]
}

extension VerifiedProof {
  /// Returns purchases of the proof grouped by claim, in the order in which their rows are locked. Purchases of unknown type are
  /// omitted.
  func claimable(
    _ purchases: [ProvenPurchase], _ products: inout RedeemableProducts
  ) throws -> [ClaimableGroup] {
    var groups: [PurchaseKey: ClaimableGroup] = [:]
    for purchase in purchases {
      guard let type = try products.type(of: purchase) else { continue }
      let key = claimKey(of: purchase, type)
      groups[key, default: ClaimableGroup(key: key, type: type, purchases: [])].purchases.append(purchase)
    }
    return groups.values.sorted { $0.key.id < $1.key.id }
  }
}
