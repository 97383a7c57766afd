import StoreModel

/// What a redemption does about one claim. It is decided from values; ``RedemptionWriter`` writes it.
struct RedemptionDecision: Hashable, Sendable {
  enum Change: Hashable, Sendable {
    /// Nothing is written.
    case none
    /// The goods of the claim's owner follow the revocation status.
    case settle
    /// The purchase is claimed. A refunded purchase is claimed, too: if the refund is reversed, its goods are given to the
    /// claim's customer.
    case claim(Claim)
    /// The claimant keeps the claim, with these values.
    case keep(OwnershipType, isByDevice: Bool)
    /// The claim is transferred to the claimant, with these values.
    case transfer(OwnershipType, isByDevice: Bool)
  }

  let key: PurchaseKey
  let change: Change
  /// Why nothing is given; nil if the goods are given.
  let refusal: RedemptionRefusal?
  /// The price that the proof states, for a claim that stays or is transferred; nil if it states none.
  var price: PurchasePrice?

  /// Whether the goods are given for the first time.
  var isNew: Bool { if case .claim = change { refusal == nil } else { false } }
}

extension RedemptionDecision {
  /// Decides on a purchase of the proof. The rules are those of Documentation/purchase-ledger.md, "A claim".
  ///
  /// - Parameters:
  ///   - record: nil if the proof lacks the purchase.
  ///   - named: the customer whom the purchase's `appAccountToken` names, unless it is the claimant.
  /// - Throws: ``LedgerError/proofNotNewer(retryAfterSeconds:)``, ``LedgerError/amountOutOfRange(_:)``.
  init(
    on entry: RedemptionEntry, _ record: ClaimRecord, named: ClaimDecision.Customer?, by redeemer: Redeemer,
    _ now: StoreDate
  ) throws(LedgerError) {
    let owner = ClaimDecision(
      of: redeemer.customer, owner: record.owner, named: named, device: redeemer.device, type: entry.product.type)
    switch (owner, record.claim) {
    case (.askAgain(let seconds), _): throw .proofNotNewer(retryAfterSeconds: seconds)
    case (.refuse(let refusal), let claim):
      // The claimant's proof may contain a newer status of the purchase, which also concerns its owner.
      self.init(key: entry.key, change: claim == nil ? .none : .settle, refusal: refusal)
    case (.claim, _):
      let claim = try Claim(entry, by: redeemer, now)
      self.init(
        key: entry.key, change: .claim(claim),
        refusal: record.refusal(of: claim.type, for: [redeemer.customer.customer]))
    case (.keep, let claim?):
      self.init(
        key: entry.key,
        change: .keep(
          entry.purchase.ownership ?? claim.ownership, isByDevice: claim.isByDevice || redeemer.marksClaims),
        refusal: record.refusal(of: claim.type, for: [redeemer.customer.customer]))
    case (.transfer, let claim?):
      // If an operator has revoked the entitlement from the owner or the claimant, the claim is not transferred. Neither is a
      // refunded purchase. Its entitlement ends for its current customer.
      let refusal = record.refusal(of: claim.type, for: [claim.customer, redeemer.customer.customer])
      let change: Change =
        refusal == nil
        ? .transfer(
          entry.purchase.ownership ?? claim.ownership,
          isByDevice: redeemer.marksClaims && redeemer.device == .issuedAfterRegistration)
        : record.status.isRevoked ? .settle : .none
      self.init(key: entry.key, change: change, refusal: refusal)
    case (.keep, nil), (.transfer, nil): self.init(key: entry.key, change: .none, refusal: .notInProof)
    }
    price = entry.purchase.price
  }

  /// Decides on an item that the proof lacks, but that the claimant has claimed before.
  init(on item: MissingItem, _ record: ClaimRecord, _ claim: Claim) {
    if let product = item.requested.productID, product != claim.product {
      self.init(key: item.key, change: .none, refusal: .otherProduct(claim.product))
    } else {
      self.init(key: item.key, change: .settle, refusal: record.refusal(of: claim.type, for: [claim.customer]))
    }
  }
}

extension ClaimRecord {
  /// The refusal of a purchase that the claimant owns, or takes over; nil if the claimant gets its goods.
  ///
  /// - Parameter customers: the customers from whom the entitlement must not have been revoked.
  fileprivate func refusal(of type: ProductType, for customers: Set<CustomerID>) -> RedemptionRefusal? {
    RedemptionRefusal(by: status, of: type, isRevokedByOperator: !revokedFrom.isDisjoint(with: customers))
  }

  /// The record after a change was written, as far as decisions depend on it.
  func after(_ change: RedemptionDecision.Change, by redeemer: Redeemer) -> ClaimRecord {
    var record = self
    switch change {
    case .none, .settle: return record
    case .claim(let claim): record.claim = claim
    case .keep(let ownership, let isByDevice), .transfer(let ownership, let isByDevice):
      record.claim?.ownership = ownership
      record.claim?.isByDevice = isByDevice
      record.claim?.customer = redeemer.customer.customer
    }
    record.owner = redeemer.customer
    return record
  }
}

extension Claim {
  /// A new claim on an unclaimed purchase.
  ///
  /// - Throws: ``LedgerError/amountOutOfRange(_:)``: the store's signature does not guarantee that quantity × credits or days is in
  ///   range.
  fileprivate init(_ entry: RedemptionEntry, by redeemer: Redeemer, _ now: StoreDate) throws(LedgerError) {
    let (product, quantity) = (entry.product, Int64(entry.purchase.quantity))
    let (given, overflow) = (product.credits?.amount ?? 0).multipliedReportingOverflow(by: quantity)
    guard quantity >= 1, !overflow, given <= CreditAmount.largest else { throw .amountOutOfRange(quantity) }
    let (days, daysOverflow) = (product.accessDays ?? 0).multipliedReportingOverflow(by: quantity)
    guard !daysOverflow, days <= LedgerProduct.mostAccessDays else { throw .amountOutOfRange(quantity) }
    self.init(
      key: entry.key, customer: redeemer.customer.customer, product: product.id, type: product.type,
      quantity: quantity, ownership: entry.purchase.ownership ?? .purchased,
      purchased: entry.purchase.originalPurchaseDate, claimed: now, accessDays: product.accessDays.map { _ in days },
      unit: product.credits?.unit, given: given, isByDevice: redeemer.marksClaims)
    _ = adopt(entry.purchase.price)
  }
}
