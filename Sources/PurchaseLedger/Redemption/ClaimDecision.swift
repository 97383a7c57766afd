import StoreModel

/// Decides which customer owns a redeemed purchase. The rules are a table in Documentation/purchase-ledger.md, "A
/// claim".
enum ClaimDecision: Hashable, Sendable {
  /// The purchase is unclaimed, and the claimant gets it.
  case claim
  /// The claimant already owns the purchase, and keeps it.
  case keep
  /// The claim moves to the claimant, with its entitlement and deliveries.
  case transfer
  case refuse(RedemptionRefusal)
  /// It depends on whether the proof was made after the claimant registered, which is not known. A newer proof shows it, after
  /// this number of seconds.
  case askAgain(seconds: Int)

  /// A customer in the decision: the claimant, the owner, or the customer whom the purchase names.
  struct Customer: Hashable, Sendable {
    let customer: CustomerID
    let isIdentified: Bool
    /// Whether the customer's data was erased, so that no request can come from them any more.
    var isErased = false
  }

  /// Whether a proof was issued for the device that is registered with the claimant's token, and when.
  enum DeviceProof: Hashable, Sendable {
    /// The proof was not issued for that device.
    case none
    /// The proof was issued for that device, but before this installation registered. A third party may have a copy of
    /// the proof and of the device's identifier. So the proof restores only non-consumables and subscriptions.
    case issuedBefore
    /// The proof was issued for that device, in the second of the registration. Receipts have whole seconds, so it may be older
    /// than the registration. A proof that is requested after this number of seconds is newer.
    case issuedInSameSecond(retryAfterSeconds: Int)
    /// The proof was issued for that device, after this installation registered.
    case issuedAfterRegistration

    /// Whether the proof, or a newer one, shows that the claimant has the store account of an earlier installation.
    var allowsJoining: Bool {
      switch self {
      case .issuedInSameSecond, .issuedAfterRegistration: true
      case .none, .issuedBefore: false
      }
    }
  }

  /// - Parameters:
  ///   - claimant: the customer who redeems the purchase.
  ///   - owner: the customer who has claimed the purchase; nil if it is unclaimed. Non-consumables and subscriptions of
  ///     an erased customer can be claimed again, because they were paid for.
  ///   - named: the customer whom the purchase's `appAccountToken` names; nil if there is none. The buyer chooses the
  ///     token. So it can cause a refusal, but never gives access.
  ///   - device: whether the proof was issued for the claimant's device, and when.
  ///   - type: the product's type. Consumables are never transferred.
  init(
    of claimant: Customer, owner: Customer?, named: Customer?, device: DeviceProof, type: ProductType
  ) {
    let namesAnother = named.map { $0.customer != claimant.customer } ?? false
    // Whether a customer is an earlier installation with the same store account on the same device.
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
      if case .issuedInSameSecond(let seconds) = device, !claimant.isIdentified, !named.isIdentified {
        self = .askAgain(seconds: seconds)
      } else {
        self = .refuse(.namesAnotherCustomer)
      }
    } else {
      self = .claim
    }
  }
}
