import StoreModel

/// The decision who owns a redeemed purchase. Documentation/purchase-ledger.md, "A claim", has the table.
enum ClaimDecision: Hashable, Sendable {
  /// The purchase is unclaimed, and the claimant gets it.
  case claim
  /// The claimant has it already.
  case keep
  /// The claim moves to the claimant, with its entitlement and deliveries.
  case transfer
  case refuse(RedemptionRefusal)

  /// A customer in the decision: the claimant, the owner, or the customer whom the purchase names.
  struct Customer: Hashable, Sendable {
    let customer: CustomerID
    let isIdentified: Bool
    /// Whether the customer's data was erased, so that no request can come from them any more.
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
  ///   - claimant: the customer who redeems the purchase.
  ///   - owner: the customer who has claimed it; nil if it is unclaimed. Non-consumables and subscriptions of an erased customer
  ///     can be claimed again, because they were paid for.
  ///   - named: the customer whom its `appAccountToken` names, if there is one. The buyer chooses the token, so it can refuse
  ///     a purchase to other customers, but never gives access.
  ///   - device: whether the proof was issued for the claimant's device, and when.
  ///   - type: the product's type. Consumables are never transferred.
  init(
    of claimant: Customer, owner: Customer?, named: Customer?, device: DeviceProof, type: ProductType
  ) {
    let namesAnother = named.map { $0.customer != claimant.customer } ?? false
    // An earlier installation with the same store account on the same device.
    func isSameAccount(_ other: Customer) -> Bool {
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
