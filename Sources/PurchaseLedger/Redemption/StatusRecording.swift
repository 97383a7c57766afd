import Foundation
import StoreModel

/// The purchases of a proof that are recorded, by claim. Purchases that contradict what is recorded under their ids are left out
/// (Documentation/purchase-ledger.md, "One id, two purchases").
struct RecordablePurchases {
  /// In the order in which their rows are locked.
  let groups: [ClaimableGroup]
  /// The claims' ids of the purchases that were left out.
  let otherPurchases: Set<TransactionID>
  /// The locks that are required to record the purchases and to settle their claims.
  let locks: Set<LedgerLock>

  /// - Parameter found: may have been read before the locks are held.
  init(_ found: [RecordedPurchase]) throws {
    let others = try found.filter { try $0.isOther }.map(\.group.key.id)
    let otherPurchases = Set(others)
    let same = found.filter { !otherPurchases.contains($0.group.key.id) }
    self.otherPurchases = otherPurchases
    groups = same.map(\.group).sorted { $0.key.id < $1.key.id }
    locks = Set(
      try same.flatMap { LedgerLock.settling($0.group.key, $0.group.type, owner: try $0.claim?.customer) })
  }
}

/// A claim's status after a proof was recorded, and the claim itself, if there is one.
struct RecordedGroup {
  let group: ClaimableGroup
  let status: RevocationStatus
  let claim: Claim?
}

/// Records what a proof states about purchases: their revocation status, their periods and how they renew. Then updates the
/// credits, entitlements and deliveries of their claims, for every customer. No purchase is claimed; the claim that follows finds
/// the status. Purchases under whose id another purchase is recorded are left out.
///
/// Of several statements about a purchase, the newest is valid, in whichever order they arrive. To record them again changes nothing.
///
/// A redemption takes the same steps (``RedemptionWork``), and claims purchases after them.
struct StatusRecording {
  private let transaction: LedgerTransaction
  private let proof: VerifiedProof
  private let now: StoreDate
  private let recordable: RecordablePurchases
  private var settler: ClaimSettler

  /// The claims' ids of purchases that are left out.
  var otherPurchases: Set<TransactionID> { recordable.otherPurchases }

  /// Reads the purchases.
  ///
  /// - Parameters:
  ///   - purchases: some or all purchases of the proof, at most ``RedemptionPlan/mostPurchases``.
  ///   - makeUUID: creates the ids of new deliveries.
  init(
    _ purchases: [ProvenPurchase], of proof: VerifiedProof, _ settings: LedgerSettings, _ now: StoreDate,
    in transaction: LedgerTransaction, makeUUID: @escaping () -> UUID
  ) throws {
    self.transaction = transaction
    self.proof = proof
    self.now = now
    var settler = ClaimSettler(
      transaction, settings.refundPolicy, RedeemableProducts(transaction, app: proof.app), now, makeUUID: makeUUID)
    let groups = try proof.claimable(purchases, &settler.products)
    self.settler = settler
    recordable = try RecordablePurchases(try groups.map { try RecordedPurchase($0, transaction) })
  }

  /// Requires all locks. Call this before anything is changed: a missing lock undoes the changes of all writes that share the
  /// transaction.
  func lock() throws { try transaction.require(recordable.locks) }

  /// Writes everything. Call this once, after ``lock()``.
  mutating func write() throws -> RecordedStatuses {
    let before = try recordable.groups.map { try transaction.storedStatus(on: $0.key, $0.type, now) }
    var recorded = RecordedStatuses()
    recorded.otherPurchases = otherPurchases.sorted()
    for (before, new) in zip(before, try transaction.recordStatuses(of: recordable.groups, in: proof, now)) {
      guard var claim = new.claim else { continue }
      let isOwnershipNew = claim.adopt(new.group.purchases.compactMap(\.ownership).last)
      let isPriceNew = claim.adopt(new.group.purchases.compactMap(\.price).last)
      if isOwnershipNew || isPriceNew { try transaction.update(claim) }
      recorded.claims += 1
      if (before?.percentage ?? 0) != new.status.percentage { recorded.changed += 1 }
      _ = try settler.settle(claim, by: new.status)
    }
    try transaction.apply(settler.passes)
    return recorded
  }
}

extension LedgerTransaction {
  /// Records what a proof states about purchases (``StatusRecording``). Nothing may be changed in this transaction before.
  func record(
    _ purchases: [ProvenPurchase], of proof: VerifiedProof, _ settings: LedgerSettings, _ now: StoreDate,
    makeUUID: @escaping () -> UUID
  ) throws -> RecordedStatuses {
    var recording = try StatusRecording(purchases, of: proof, settings, now, in: self, makeUUID: makeUUID)
    try recording.lock()
    return try recording.write()
  }

  /// Records the status of purchases, and reads their claims. The caller holds ``RecordablePurchases/locks``.
  ///
  /// Each status that is written locks a row. All writes lock their rows in the order of `groups`, which prevents most deadlocks.
  /// The claims are read after that, so no other redemption of these purchases can change them. For purchases that are no
  /// auto-renewable subscriptions, all statements are sent together.
  func recordStatuses(
    of groups: [ClaimableGroup], in proof: VerifiedProof, _ now: StoreDate
  ) throws -> [RecordedGroup] {
    let statuses = try groups.map { try recordLater($0, of: proof, now) }
    let claims = try groups.map { try claimLater($0.key) }
    let recorded = try groups.indices.map { place in
      RecordedGroup(
        group: groups[place], status: try statuses[place](), claim: try claims[place].row.map(Claim.init))
    }
    // A claim may have got another owner before its row was locked.
    try require(Set(recorded.compactMap { $0.claim.map { .customer($0.customer) } }))
    return recorded
  }

  /// Records the status of a claim's purchases, at the latest when the result is called. For an auto-renewable subscription, records
  /// the status of all its periods, and how it continues.
  private func recordLater(
    _ group: ClaimableGroup, of proof: VerifiedProof, _ now: StoreDate
  ) throws -> () throws -> RevocationStatus {
    guard group.type == .autoRenewableSubscription else {
      let newest = group.purchases.newest
      let answer = try recordLater(
        newest?.revocation, on: group.key, stated: newest?.statedDate ?? proof.statedDate, now)
      return { try RevocationStatus(recorded: answer) }
    }
    let status = try record(periods: group.purchases, of: group.key, stated: proof.statedDate, now)
    if let renewal = proof.renewals[group.key.id] {
      try record(renewal, of: group.key, stated: proof.statedDate)
    }
    return { status }
  }
}

/// The result of recording the statuses in a proof.
public struct RecordedStatuses: Hashable, Sendable {
  /// The number of claims on purchases of the proof.
  public var claims = 0
  /// The number of these claims that were revoked, or whose revocation was reversed or changed its percentage.
  public var changed = 0
  /// The claims' ids of purchases in the proof under whose id another purchase is recorded (``RedemptionRefusal/otherPurchase``).
  /// Nothing of them was recorded.
  public var otherPurchases: [TransactionID] = []

  public init() {}
}
