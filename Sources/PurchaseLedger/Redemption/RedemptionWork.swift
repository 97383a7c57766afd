import Foundation
import StoreModel

/// One part of a redemption, in its database transaction. Documentation/purchase-ledger.md, "One redemption path", has the steps,
/// and why they have this order.
struct RedemptionWork {
  /// What is the same for all parts of a redemption.
  struct Context: Sendable {
    let proof: VerifiedProof
    /// Whether the redemption has several parts.
    let isDivided: Bool
    /// The proof's ``VerifiedProof/storedDigest``.
    let digest: String?
    let settings: LedgerSettings
    let device: ClaimDecision.DeviceProof
    let now: StoreDate
    let cause: LedgerChange.Cause
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
  let part: RedemptionPlan.Part
  var redeemer: Redeemer
  var settler: ClaimSettler
  /// What is recorded under the id of the part's only purchase; nil if it was not requested in advance.
  private let only: RecordedPurchase?

  var proof: VerifiedProof { context.proof }
  var now: StoreDate { context.now }

  /// Reads the claimant. What most parts need next is requested before, so that it is sent together with this.
  ///
  /// - Parameters:
  ///   - claimant: the customer, who must be active.
  ///   - isFirst: whether this is the first transaction of the redemption.
  init(
    _ transaction: LedgerTransaction, _ context: Context, _ part: RedemptionPlan.Part, for claimant: Claimant,
    isFirst: Bool
  ) throws {
    let (proof, settings) = (context.proof, context.settings)
    self.transaction = transaction
    transaction.change = LedgerChange(date: context.now, cause: context.cause)
    self.context = context
    self.part = part
    settler = ClaimSettler(
      transaction, settings.refundPolicy, RedeemableProducts(transaction, app: proof.app), context.now,
      makeUUID: context.makeUUID)
    try settler.products.requestInAdvance(Set(part.purchases.map(\.productID)))
    // Joining the claimant could move the claim.
    let mayJoin = claimant.hasVendorIdentifier && context.device.allowsJoining
    if !mayJoin, part.purchases.count == 1, let purchase = part.purchases.first, let type = purchase.type {
      let group = ClaimableGroup(key: proof.claimKey(of: purchase, type), type: type, purchases: [purchase])
      only = try RecordedPurchase(group, transaction)
    } else {
      only = nil
    }
    let status = try transaction.expect(claimant.customer, schedulesPasses: isFirst)
    redeemer = Redeemer(
      customer: ClaimDecision.Customer(status), device: context.device,
      hasVendorIdentifier: claimant.hasVendorIdentifier,
      isEnvironmentAllowed: settings.allows(proof.environment, for: status))
  }

  /// Redeems the part: finds and joins, locks and reads, decides, writes, and reads the goods.
  ///
  /// - Parameters:
  ///   - joinable: the purchases by which an earlier installation is looked for.
  ///   - isProofStored: whether an earlier part has stored the proof.
  mutating func redeem(joiningBy joinable: [ProvenPurchase], isProofStored: Bool) throws -> Step {
    let items = RedemptionItems(
      part, of: proof, try settler.products.products(part.neededProducts),
      isEnvironmentAllowed: redeemer.isEnvironmentAllowed)
    guard try joinEarlierInstallation(by: joinable) else {
      try transaction.apply(settler.passes)
      return .movedBack
    }
    let records = try lockAndRead(items)
    let decisions = try RedemptionDecisions(on: items, records, by: redeemer, now)

    var writer = RedemptionWriter(transaction, records, settler, for: redeemer.customer.customer, now)
    let written = try writer.write(decisions)
    try writer.writePasses(isDivided: context.isDivided)
    if !writer.provenClaims.isEmpty {
      try transaction.keep(
        proof, digest: context.digest, isStored: isProofStored, of: redeemer.customer.customer,
        for: writer.provenClaims, context.settings, now)
    }
    return .redeemed(
      try results(of: items, records, written), redeemer.customer.customer,
      isProofStored: isProofStored || !writer.provenClaims.isEmpty,
      unscheduled: context.isDivided ? Set(writer.transferred.changed.keys.map(\.customer)) : [],
      otherPurchases: records.otherPurchases)
  }

  func recordedInAdvance(_ key: PurchaseKey) -> RecordedPurchase? { only?.group.key == key ? only : nil }
}
