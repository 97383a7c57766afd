import Foundation
import StoreModel

/// A redemption inside its database transaction.
struct RedemptionWork {
  let transaction: LedgerTransaction
  let proof: VerifiedProof
  let settings: LedgerSettings
  let now: StoreDate
  let makeUUID: @Sendable () -> UUID
  let purchases: [TransactionID: ProvenPurchase]
  /// Whether the claimant may redeem purchases of the proof's environment.
  let isEnvironmentAllowed: Bool
  private let device: ClaimDecision.DeviceProof
  /// Whether the proof allows joining the claimant to an earlier installation: it was issued for the claimant's
  /// `identifierForVendor` after the claimant registered.
  let mayJoin: Bool
  var claimant: ClaimDecision.Customer
  /// The claims for which the proof is stored, so that the store can be asked about them again.
  private var provenClaims: [Claim] = []
  private var statuses: [PurchaseKey: RevocationStatus] = [:]
  /// The claim of the proof's only purchase, read before the lock of its owner is held. It only says whose lock that is.
  private var unlockedClaim: RequestedClaim?
  /// The claim of the only purchase that is redeemed, read under the locks.
  private var lockedClaim: RequestedClaim?
  var products: RedeemableProducts
  var outcomes: [RedeemedPurchase] = []

  init(
    _ transaction: LedgerTransaction, _ proof: VerifiedProof, _ settings: LedgerSettings, for claimant: Claimant,
    at now: StoreDate, makeUUID: @escaping @Sendable () -> UUID
  ) throws {
    self.transaction = transaction
    products = RedeemableProducts(transaction, app: proof.app)
    self.proof = proof
    self.settings = settings
    self.now = now
    self.makeUUID = makeUUID
    // A legacy receipt contains its device identifier in plain text, so it does not prove the device.
    if proof.proof.kind != .legacyReceipt, claimant.device.map(proof.isIssued) ?? false {
      device = proof.isIssued(after: claimant.registered) ? .issuedAfterRegistration : .issuedBefore
    } else {
      device = .none
    }
    // A Mac's network address can be guessed. It suffices to restore a purchase, but not to be joined to another
    // customer.
    if case .vendorIdentifier = claimant.device {
      mayJoin = device == .issuedAfterRegistration
    } else {
      mayJoin = false
    }
    purchases = Dictionary(proof.purchases.map { ($0.transactionID, $0) }) { first, _ in first }
    // These statements are sent together with the next one.
    try products.requestInAdvance(Set(proof.purchases.map(\.productID)))
    if !mayJoin, proof.purchases.count == 1, let purchase = proof.purchases.first, let type = purchase.type {
      unlockedClaim = try RequestedClaim(proof.claimKey(of: purchase, type), transaction)
    }
    let status = try transaction.expect(claimant.customer)
    let names = [status.subject, status.customer.description].compactMap(\.self)
    isEnvironmentAllowed =
      proof.environment != .sandbox || settings.sandboxCustomers.map { !$0.isDisjoint(with: names) } ?? true
    self.claimant = ClaimDecision.Customer(status)
  }

  mutating func redeem(_ request: RedemptionRequest) throws -> Redemption {
    var entries = try entries(for: request)
    try joinEarlierInstallation()
    if case .purchases(let items) = request { try lockKnownClaims(items) }
    entries.sort { ($0.key.id, $0.place) < ($1.key.id, $1.place) }
    try recordStatuses(on: entries)
    for entry in entries {
      outcomes[entry.place] = RedeemedPurchase(
        transactionID: entry.requestedID, productID: entry.purchase.productID, outcome: try outcome(of: entry))
    }
    if case .purchases(let items) = request { try answerFromClaims(items) }
    if !provenClaims.isEmpty { try transaction.keep(proof, of: claimant.customer, for: provenClaims, settings, now) }
    return Redemption(customer: claimant.customer, environment: proof.environment, purchases: outcomes)
  }

  // MARK: Ownership

  /// Returns the customer whom a purchase's `appAccountToken` names: nil if there is none, or if the customer was erased. If the
  /// customer was joined to another one, returns the other one.
  private func named(by purchase: ProvenPurchase) throws -> ClaimDecision.Customer? {
    guard settings.accountTokensNameCustomers, let token = purchase.appAccountToken,
      var named = try transaction.status(of: CustomerID(rawValue: token))
    else { return nil }
    if let joined = named.joinedTo, let other = try transaction.status(of: joined) { named = other }
    return named.isActive ? ClaimDecision.Customer(named) : nil
  }

  private mutating func outcome(of entry: RedemptionEntry) throws -> RedeemedPurchase.Outcome {
    guard let status = statuses[entry.key] else { return .refused(.notInProof) }
    let claim = try claim(of: entry)
    let owner = try claim.flatMap { try transaction.status(of: $0.customer) }.map(ClaimDecision.Customer.init)
    let decision = ClaimDecision(
      of: claimant, owner: owner, named: try named(by: entry.purchase), device: device,
      type: entry.product.type)
    switch (decision, claim) {
    case (.refuse(let refusal), let claim):
      // The claimant's proof may contain a newer status of the purchase, which also concerns its owner.
      if let claim { _ = try settle(claim, by: status) }
      return .refused(refusal)
    case (.claim, _):
      // A refunded purchase is claimed, too: if the refund is reversed, its goods are given to the claim's customer.
      let claim = try newClaim(entry)
      try transaction.insert(claim)
      if let account = claim.account {
        // The claim is new, so there is no such movement yet.
        _ = try transaction.add(claim.given, account, .purchase, key: claim.causeKey, now)
      }
      provenClaims.append(claim)
      return try goods(of: claim, by: status, isNew: true)
    case (.keep, var claim?):
      if mayJoin, !claim.isByDevice {
        claim.isByDevice = true
        try transaction.update(claim)
      }
      provenClaims.append(claim)
      return try goods(of: claim, by: status, isNew: false)
    case (.transfer, var claim?):
      try transaction.require(.customer(claim.customer))
      // If an operator has revoked the entitlement from the owner or the claimant, the claim is not transferred.
      if let refusal = try RedemptionRefusal(
        by: status, of: claim.type,
        isRevokedByOperator: try transaction.isRevokedByOperator(claim)
          || transaction.isRevokedByOperator(claim, from: claimant.customer))
      {
        // A refunded purchase is not transferred. Its entitlement ends for its current customer.
        if status.isRevoked { _ = try settle(claim, by: status) }
        return .refused(refusal)
      }
      let wasByDevice = claim.isByDevice
      claim.isByDevice = mayJoin
      let moved = try transaction.move(claim, to: claimant.customer, wasByDevice: wasByDevice, now)
      provenClaims.append(moved)
      return try goods(of: moved, by: status, isNew: false)
    case (.keep, nil), (.transfer, nil): return .refused(.notInProof)
    }
  }

  private mutating func claim(of entry: RedemptionEntry) throws -> Claim? {
    // Used once, because this redemption can change the claim.
    defer { lockedClaim = nil }
    guard let lockedClaim, lockedClaim.key == entry.key else { return try transaction.claim(entry.key) }
    return try lockedClaim.claim
  }

  private func newClaim(_ entry: RedemptionEntry) throws -> Claim {
    let quantity = Int64(entry.purchase.quantity)
    // The store's signature does not guarantee that quantity × credits is in range.
    let (given, overflow) = (entry.product.credits?.amount ?? 0).multipliedReportingOverflow(by: quantity)
    guard quantity >= 1, !overflow, given <= CreditAmount.largest else { throw LedgerError.amountOutOfRange(quantity) }
    return Claim(
      key: entry.key, customer: claimant.customer, product: entry.product.id, type: entry.product.type,
      quantity: quantity, ownership: entry.purchase.ownership, purchased: entry.purchase.originalPurchaseDate,
      claimed: now, accessDays: entry.product.accessDays, unit: entry.product.credits?.unit, given: given,
      isByDevice: mayJoin)
  }

  // MARK: Purchase status

  /// Records the status of all claimed purchases. Also records and settles all refunds in the proof, even those of purchases that
  /// are not claimed now.
  private mutating func recordStatuses(on entries: [RedemptionEntry]) throws {
    let claimed = Dictionary(
      entries.map { ($0.key, ClaimableGroup(key: $0.key, type: $0.product.type, purchases: $0.periods)) },
      uniquingKeysWith: { first, _ in first })
    var refunded: [ClaimableGroup] = []
    if proof.purchases.contains(where: { $0.revocation != nil }) {
      refunded = try transaction.claimable(proof, &products).filter { group in
        claimed[group.key] == nil && group.purchases.contains { $0.revocation != nil }
      }
    }
    // Each call of `record` locks a row. All writes lock their rows in the same order, which prevents most deadlocks.
    // The other locks are requested together, because the transaction starts again for each request with a missing
    // lock.
    let groups = (Array(claimed.values) + refunded).sorted { $0.key.id < $1.key.id }
    try transaction.require(Set(groups.flatMap { try locks(on: $0) }))
    if groups.count == 1, let only = groups.first, only.type != .autoRenewableSubscription {
      let status = try transaction.recordLater(only, of: proof, now)
      lockedClaim = try RequestedClaim(only.key, transaction)
      statuses[only.key] = try RevocationStatus(recorded: status)
    } else {
      for group in groups { statuses[group.key] = try transaction.record(group, of: proof, now) }
    }
    for group in refunded {
      guard let claim = try transaction.claim(group.key), let status = statuses[group.key] else { continue }
      _ = try settle(claim, by: status)
    }
  }

  private func locks(on group: ClaimableGroup) throws -> [LedgerLock] {
    guard let unlockedClaim, unlockedClaim.key == group.key else {
      return try transaction.locks(on: group.key, group.type)
    }
    return try transaction.locks(on: group.key, group.type, owner: unlockedClaim.claim?.customer)
  }

  mutating func settle(_ claim: Claim, by status: RevocationStatus) throws -> (claim: Claim, delivery: UUID?) {
    try transaction.require(.customer(claim.customer))
    return try transaction.settle(claim, by: status, settings.refundPolicy, delivery: makeUUID(), now) {
      try products.product($0)?.hasFiles ?? false
    }
  }

  // MARK: Goods

  mutating func goods(
    of claim: Claim, by status: RevocationStatus, isNew: Bool
  ) throws -> RedeemedPurchase.Outcome {
    let (claim, delivery) = try settle(claim, by: status)
    if let refusal = try RedemptionRefusal(
      by: status, of: claim.type, isRevokedByOperator: try transaction.isRevokedByOperator(claim))
    {
      return .refused(refusal)
    }
    var entitlement: LedgerEntitlement?
    if claim.type.lasts {
      entitlement = try transaction.entitlement(
        of: claim.customer, app: proof.app, product: claim.product, source: claim.source)
    }
    return .given(
      GivenGoods(
        claim: claim.key.id, claimed: claim.claimed, isNew: isNew,
        credits: claim.unit.map { LedgerProduct.Credits(unit: $0, amount: claim.given) }, entitlement: entitlement,
        delivery: delivery))
  }
}

/// A claim whose row was requested, perhaps together with the next statement.
private struct RequestedClaim {
  let key: PurchaseKey
  private let answer: PendingAnswer

  init(_ key: PurchaseKey, _ transaction: LedgerTransaction) throws {
    self.key = key
    answer = try transaction.claimLater(key)
  }

  var claim: Claim? { get throws { try answer.row.map(Claim.init) } }
}

extension ClaimDecision.Customer {
  init(_ status: CustomerStatus) {
    self.init(customer: status.customer, isIdentified: status.subject != nil, isErased: status.isErased)
  }
}

/// The purchases of a proof that belong to one claim. For an auto-renewable subscription, these are its periods.
struct ClaimableGroup {
  let key: PurchaseKey
  let type: ProductType
  var purchases: [ProvenPurchase]
}

extension LedgerTransaction {
  /// Returns the purchases of a proof grouped by claim, in the order in which their rows are locked. Purchases of
  /// unknown type are omitted.
  func claimable(_ proof: VerifiedProof, _ products: inout RedeemableProducts) throws -> [ClaimableGroup] {
    var groups: [PurchaseKey: ClaimableGroup] = [:]
    for purchase in proof.purchases {
      guard let type = try purchase.type ?? products.product(purchase.productID)?.type else { continue }
      let key = proof.claimKey(of: purchase, type)
      groups[key, default: ClaimableGroup(key: key, type: type, purchases: [])].purchases.append(purchase)
    }
    return groups.values.sorted { $0.key.id < $1.key.id }
  }
}
