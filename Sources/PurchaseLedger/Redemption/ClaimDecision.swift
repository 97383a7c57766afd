import StoreModel

/// Whose a purchase becomes. Documentation/purchase-ledger.md, "A claim", has the table.
enum ClaimDecision: Hashable, Sendable {
  /// It is nobody's yet.
  case claim
  /// It is the claimant's already.
  case keep
  /// It moves, with all that comes of it.
  case transfer(from: CustomerID)
  case refuse(RedemptionRefusal)

  /// Somebody who claims, or has claimed.
  struct Party: Hashable, Sendable {
    let customer: CustomerID
    let isIdentified: Bool
  }

  /// - Parameters:
  ///   - owner: who has claimed it; nil for nobody.
  ///   - named: whom its `appAccountToken` names.
  ///   - isIssuedForDevice: whether the proof was issued for the device registered with the claimant's token.
  ///   - type: consumables never move.
  init(
    of claimant: Party, owner: Party?, named: CustomerID?, isIssuedForDevice: Bool, type: ProductType
  ) {
    if owner?.customer == claimant.customer {
      self = .keep
    } else if let named, named != claimant.customer {
      self = .refuse(.namesAnotherCustomer)
    } else if let owner {
      let mayMove = !claimant.isIdentified && !owner.isIdentified && isIssuedForDevice && type.lasts
      self = mayMove ? .transfer(from: owner.customer) : .refuse(.claimedByAnotherCustomer)
    } else {
      self = .claim
    }
  }
}
