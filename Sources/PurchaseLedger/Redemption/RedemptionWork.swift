import Foundation
import StoreModel

/// One part of a redemption, inside its database transaction.
struct RedemptionWork {
  /// What is the same for all parts of a redemption.
  struct Context: Sendable {
    let proof: VerifiedProof
    /// Whether the redemption has several parts.
    let isDivided: Bool
    /// The proof's ``VerifiedProof/receiptDigest``.
    let digest: String?
    let settings: LedgerSettings
    let device: ClaimDecision.DeviceProof
    let now: StoreDate
    let makeUUID: @Sendable () -> UUID
  }

  /// What a transaction has done.
  enum Step: Sendable {
    /// The results by place, the customer who owns the goods, the previous owners whose passes are not scheduled yet, and
    /// ``Redemption/otherPurchases``.
    case redeemed(
      [Int: RedeemedPurchase], CustomerID, isProofStored: Bool, unscheduled: Set<CustomerID>,
      otherPurchases: Set<TransactionID>)
    /// Claims were moved back to the earlier customer. The same part has to be redeemed again, to move the others. The claimant's
    /// passes are not scheduled yet.
    case movedBack
  }

  let transaction: LedgerTransaction
  let context: Context
  var proof: VerifiedProof { context.proof }
  var settings: LedgerSettings { context.settings }
  var now: StoreDate { context.now }
  let part: RedemptionPlan.Part
  /// Whether the claimant may redeem purchases of the proof's environment.
  let isEnvironmentAllowed: Bool
  /// Whether the claimant's registered device is identified by `identifierForVendor`. A Mac's network address can be guessed.
  /// It suffices to restore a purchase, but not to be joined to another customer.
  private let hasVendorIdentifier: Bool
  var claimant: ClaimDecision.Customer
  /// The claims for which the proof is stored, so that the store can be asked about them again.
  private var provenClaims: [Claim] = []
  private var statuses: [PurchaseKey: RevocationStatus] = [:]
  private var results: [ResultKey: ClaimResult] = [:]
  var passes = PassSchedule()
  /// The passes that were transferred from other customers. If a redemption has several parts, the passes that these customers
  /// keep are scheduled once, after the last part.
  private var transferred = PassSchedule()
  /// The claim of the part's only purchase, read before the lock of its owner is held. It only says whose lock that is.
  private var unlocked: (key: PurchaseKey, recorded: RecordedPurchase)?
  private var otherPurchases: Set<TransactionID> = []
  /// The claim of the only purchase that is redeemed, read under the locks.
  private var lockedClaim: RequestedClaim?
  var products: RedeemableProducts
  var outcomes: [Int: RedeemedPurchase] = [:]

  /// Whether the proof shows that the claimant, or an earlier installation whose device it is, has the purchases' account. A
  /// claim of the claimant is then marked, so that a later installation can be joined to the claimant. A proof of the second
  /// of the registration suffices: only its sender could have made the copy in that second.
  var marksClaims: Bool {
    guard hasVendorIdentifier else { return false }
    return switch context.device {
    case .issuedAfterRegistration, .issuedInSameSecond: true
    case .none, .issuedBefore: false
    }
  }

  /// - Parameters:
  ///   - claimant: the customer, who must be active.
  ///   - isFirst: whether this is the first transaction of the redemption.
  init(
    _ transaction: LedgerTransaction, _ context: Context, _ part: RedemptionPlan.Part, for claimant: Claimant,
    isFirst: Bool
  ) throws {
    self.transaction = transaction
    self.context = context
    self.part = part
    let proof = context.proof
    products = RedeemableProducts(transaction, app: proof.app)
    if case .vendorIdentifier = claimant.device { hasVendorIdentifier = true } else { hasVendorIdentifier = false }
    // These statements are sent together with the next one.
    try products.requestInAdvance(Set(part.purchases.map(\.productID)))
    let mayJoin = hasVendorIdentifier && context.device.allowsJoining
    if !mayJoin, part.purchases.count == 1, let purchase = part.purchases.first, let type = purchase.type {
      let group = ClaimableGroup(key: proof.claimKey(of: purchase, type), type: type, purchases: [purchase])
      unlocked = (group.key, try RecordedPurchase(group, transaction))
    }
    let status = try transaction.expect(claimant.customer, schedulesPasses: isFirst)
    let names = [status.subject, status.customer.description].compactMap(\.self)
    isEnvironmentAllowed =
      proof.environment != .sandbox || context.settings.sandboxCustomers.map { !$0.isDisjoint(with: names) } ?? true
    self.claimant = ClaimDecision.Customer(status)
  }

  /// Redeems the part.
  ///
  /// - Parameters:
  ///   - joinable: the purchases by which an earlier installation is looked for.
  ///   - isProofStored: whether an earlier part has stored the proof.
  mutating func redeem(joiningBy joinable: [ProvenPurchase], isProofStored: Bool) throws -> Step {
    var entries = try entries()
    guard try joinEarlierInstallation(by: joinable) else {
      try transaction.apply(passes)
      return .movedBack
    }
    try lockKnownClaims()
    entries.sort { ($0.key.id, $0.place) < ($1.key.id, $1.place) }
    try recordStatuses(on: entries)
    for entry in entries { results[entry.resultKey] = try results[entry.resultKey] ?? result(of: entry) }
    let known = try resultsOfKnownClaims()
    // The end of access of non-renewing subscriptions is valid after this.
    try transaction.apply(passes)
    if context.isDivided {
      try transaction.noteUnscheduled(transferred, for: claimant.customer)
    } else {
      try transaction.apply(transferred)
    }
    var seen: Set<ResultKey> = []
    for entry in entries {
      guard let result = results[entry.resultKey] else { continue }
      outcomes[entry.place] = RedeemedPurchase(
        transactionID: entry.requestedID, productID: entry.purchase.productID,
        outcome: try outcome(of: result, isRepeated: !seen.insert(entry.resultKey).inserted))
    }
    for (item, productID, result) in known {
      guard let requested = item.requested else { continue }
      outcomes[item.place] = RedeemedPurchase(
        transactionID: requested.transactionID, productID: productID,
        outcome: try outcome(of: result, isRepeated: false))
    }
    if !provenClaims.isEmpty {
      try transaction.keep(
        proof, digest: context.digest, isStored: isProofStored, of: claimant.customer, for: provenClaims, settings, now)
    }
    return .redeemed(
      outcomes, claimant.customer, isProofStored: isProofStored || !provenClaims.isEmpty,
      unscheduled: context.isDivided ? Set(transferred.changed.keys.map(\.customer)) : [],
      otherPurchases: otherPurchases)
  }

  func mayJoin() -> Bool { hasVendorIdentifier && context.device.allowsJoining && !claimant.isIdentified }

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

  private mutating func result(of entry: RedemptionEntry) throws -> ClaimResult {
    if otherPurchases.contains(entry.key.id) { return .refused(.otherPurchase) }
    guard let status = statuses[entry.key] else { return .refused(.notInProof) }
    let claim = try claim(of: entry)
    let owner = try claim.flatMap { try transaction.status(of: $0.customer) }.map(ClaimDecision.Customer.init)
    let decision = ClaimDecision(
      of: claimant, owner: owner, named: try named(by: entry.purchase), device: context.device,
      type: entry.product.type)
    switch (decision, claim) {
    case (.askAgain(let seconds), _): throw LedgerError.proofNotNewer(retryAfterSeconds: seconds)
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
      let isMarked = marksClaims && !claim.isByDevice
      if isMarked { claim.isByDevice = true }
      if claim.adopt(entry.purchase.ownership) || isMarked { try transaction.update(claim) }
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
      _ = claim.adopt(entry.purchase.ownership)
      let wasByDevice = claim.isByDevice
      claim.isByDevice = marksClaims && context.device == .issuedAfterRegistration
      let moved = try transaction.move(
        claim, to: claimant.customer, wasByDevice: wasByDevice, &transferred, now)
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
    // The store's signature does not guarantee that quantity × credits or days is in range.
    let (given, overflow) = (entry.product.credits?.amount ?? 0).multipliedReportingOverflow(by: quantity)
    guard quantity >= 1, !overflow, given <= CreditAmount.largest else { throw LedgerError.amountOutOfRange(quantity) }
    let (days, daysOverflow) = (entry.product.accessDays ?? 0).multipliedReportingOverflow(by: quantity)
    guard !daysOverflow, days <= LedgerProduct.mostAccessDays else { throw LedgerError.amountOutOfRange(quantity) }
    return Claim(
      key: entry.key, customer: claimant.customer, product: entry.product.id, type: entry.product.type,
      quantity: quantity, ownership: entry.purchase.ownership ?? .purchased,
      purchased: entry.purchase.originalPurchaseDate,
      claimed: now, accessDays: entry.product.accessDays.map { _ in days }, unit: entry.product.credits?.unit,
      given: given,
      isByDevice: marksClaims)
  }

  // MARK: Purchase status

  /// Records the status of all claimed purchases. Also records and settles all refunds in the proof, even those of purchases that
  /// are not claimed now. Purchases under whose id another purchase is recorded are left out.
  private mutating func recordStatuses(on entries: [RedemptionEntry]) throws {
    // The status of an auto-renewable subscription is that of all its periods.
    let periods = Dictionary(grouping: part.purchases, by: \.originalTransactionID)
    let claimed = Dictionary(
      entries.map { entry in
        let isRenewable = entry.product.type == .autoRenewableSubscription
        let purchases = isRenewable ? periods[entry.purchase.originalTransactionID] : nil
        return (
          entry.key, ClaimableGroup(key: entry.key, type: entry.product.type, purchases: purchases ?? [entry.purchase])
        )
      }, uniquingKeysWith: { first, _ in first })
    var refunded: [ClaimableGroup] = []
    if part.purchases.contains(where: { $0.revocation != nil }) {
      refunded = try transaction.claimable(part.purchases, of: proof, &products).filter { group in
        claimed[group.key] == nil && group.purchases.contains { $0.revocation != nil }
      }
    }
    // Each call of `record` locks a row. All writes lock their rows in the same order, which prevents most deadlocks.
    // The other locks are requested together, because the transaction starts again for each request with a missing
    // lock.
    let recorded = try (Array(claimed.values) + refunded).sorted { $0.key.id < $1.key.id }
      .map { (group: $0, recorded: try recordedPurchase($0)) }
    otherPurchases = Set(try recorded.filter { try $0.recorded.isOther }.map(\.group.key.id))
    let same = recorded.filter { !otherPurchases.contains($0.group.key.id) }
    let groups = same.map(\.group)
    try transaction.require(
      Set(same.flatMap { try transaction.locks(on: $0.key, $0.type, owner: $1.claim?.customer) }))
    if groups.count == 1, let only = groups.first, only.type != .autoRenewableSubscription {
      let status = try transaction.recordLater(only, of: proof, now)
      lockedClaim = try RequestedClaim(only.key, transaction)
      statuses[only.key] = try RevocationStatus(recorded: status)
    } else {
      for group in groups { statuses[group.key] = try transaction.record(group, of: proof, now) }
    }
    for group in refunded where !otherPurchases.contains(group.key.id) {
      guard let claim = try transaction.claim(group.key), let status = statuses[group.key] else { continue }
      _ = try settle(claim, by: status)
    }
  }

  private func recordedPurchase(_ group: ClaimableGroup) throws -> RecordedPurchase {
    guard let unlocked, unlocked.key == group.key else { return try RecordedPurchase(group, transaction) }
    return unlocked.recorded
  }

  mutating func settle(_ claim: Claim, by status: RevocationStatus) throws -> (claim: Claim, delivery: UUID?) {
    try transaction.require(.customer(claim.customer))
    return try transaction.settle(
      claim, by: status, settings.refundPolicy, &passes, delivery: context.makeUUID(), now
    ) {
      try products.product($0)?.hasFiles ?? false
    }
  }

  // MARK: Goods

  mutating func goods(of claim: Claim, by status: RevocationStatus, isNew: Bool) throws -> ClaimResult {
    let (claim, delivery) = try settle(claim, by: status)
    if let refusal = try RedemptionRefusal(
      by: status, of: claim.type, isRevokedByOperator: try transaction.isRevokedByOperator(claim))
    {
      return .refused(refusal)
    }
    return .given(claim, delivery: delivery, isNew: isNew)
  }

  /// - Parameter isRepeated: whether an earlier purchase of the request has the same result.
  private func outcome(of result: ClaimResult, isRepeated: Bool) throws -> RedeemedPurchase.Outcome {
    switch result {
    case .refused(let refusal): return .refused(refusal)
    case .given(let claim, let delivery, let isNew):
      var entitlement: LedgerEntitlement?
      if claim.type.lasts {
        entitlement = try transaction.entitlement(
          of: claim.customer, app: proof.app, product: claim.product, source: claim.source)
      }
      return .given(
        GivenGoods(
          claim: claim.key.id, claimed: claim.claimed, isNew: isNew && !isRepeated,
          credits: claim.unit.map { LedgerProduct.Credits(unit: $0, amount: claim.given) }, entitlement: entitlement,
          delivery: delivery))
    }
  }
}

/// The result of redeeming a claim, before the end of access is known.
enum ClaimResult {
  case refused(RedemptionRefusal)
  case given(Claim, delivery: UUID?, isNew: Bool)
}

/// Purchases with the same key have the same result.
private struct ResultKey: Hashable {
  let claim: PurchaseKey
  let accountToken: UUID?
}

extension RedemptionEntry {
  fileprivate var resultKey: ResultKey { ResultKey(claim: key, accountToken: purchase.appAccountToken) }
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
  /// Returns purchases of a proof grouped by claim, in the order in which their rows are locked. Purchases of
  /// unknown type are omitted.
  func claimable(
    _ purchases: [ProvenPurchase], of proof: VerifiedProof, _ products: inout RedeemableProducts
  ) throws -> [ClaimableGroup] {
    var groups: [PurchaseKey: ClaimableGroup] = [:]
    for purchase in purchases {
      guard let type = try purchase.type ?? products.product(purchase.productID)?.type else { continue }
      let key = proof.claimKey(of: purchase, type)
      groups[key, default: ClaimableGroup(key: key, type: type, purchases: [])].purchases.append(purchase)
    }
    return groups.values.sorted { $0.key.id < $1.key.id }
  }
}
