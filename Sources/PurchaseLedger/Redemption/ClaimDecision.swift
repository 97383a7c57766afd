import StoreModel

/// Whose a purchase becomes. Documentation/purchase-ledger.md, "A claim", has the table.
enum ClaimDecision: Hashable, Sendable {
  /// It is nobody's yet.
  case claim
  /// It is the claimant's already.
  case keep
  /// It moves, with all that comes of it.
  case transfer
  case refuse(RedemptionRefusal)

  /// Somebody who claims, or has claimed.
  struct Party: Hashable, Sendable {
    let customer: CustomerID
    let isIdentified: Bool
    /// Nobody can ask in their name any more.
    var isErased = false
  }

  /// What a proof shows of the device that is registered with the claimant's token.
  enum DeviceProof: Hashable, Sendable {
    /// It was not issued for that device.
    case none
    /// It was issued for that device, before this installation registered. A third party may have found it together
    /// with the device's identifier, so it restores durable goods only.
    case issuedBefore
    /// The store issued it to this installation.
    case issuedAfterRegistration
  }

  /// - Parameters:
  ///   - owner: who has claimed it; nil for nobody. What lasts outlives an erased one's record: it is paid for.
  ///   - named: whom its `appAccountToken` names, if that is anybody here. Whoever buys chooses it: it can keep a purchase
  ///     from others, and opens nothing.
  ///   - device: whether the proof was issued for the claimant's device, and when.
  ///   - type: consumables never move.
  init(
    of claimant: Party, owner: Party?, named: Party?, device: DeviceProof, type: ProductType
  ) {
    let namesAnother = named.map { $0.customer != claimant.customer } ?? false
    // The installation before this one, perhaps: both are the same store account on the same device.
    func isSameAccount(_ other: Party) -> Bool {
      let isProven = type.lasts ? device != .none : device == .issuedAfterRegistration
      return !claimant.isIdentified && !other.isIdentified && isProven
    }
    if let owner {
      if owner.customer == claimant.customer {
        self = .keep
      } else if namesAnother, named?.customer != owner.customer {
        self = .refuse(.namesAnotherCustomer)
      } else if type.lasts, owner.isErased || isSameAccount(owner) {
        self = .transfer
      } else {
        self = .refuse(namesAnother ? .namesAnotherCustomer : .claimedByAnotherCustomer)
      }
    } else if let named, namesAnother, !isSameAccount(named) {
      self = .refuse(.namesAnotherCustomer)
    } else {
      self = .claim
    }
  }
}
