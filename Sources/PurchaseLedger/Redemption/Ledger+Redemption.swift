import Foundation
import SignedData
import StoreModel

extension Ledger {
  /// Redeems purchases of a proof for a customer. Each purchase is either given or refused with its own reason. A repeated call
  /// gives the same result, and no further goods.
  ///
  /// More than ``RedemptionPlan/mostPurchases`` purchases are redeemed in several transactions, and only one such redemption of a
  /// customer runs at a time. If it ends early, because of an error or because the task is cancelled, the purchases that were
  /// given stay given. A repeated call begins with the purchases that were not given.
  ///
  /// - Parameters:
  ///   - proof: a proof that was verified by the app's policy.
  ///   - request: the purchases to redeem.
  ///   - claimant: the customer.
  /// - Throws: ``LedgerError/unknownCustomer(_:)`` if the customer was erased or joined to another customer. The
  ///   customer has to sign in again, and can then repeat the request. ``LedgerError/proofNotNewer(retryAfterSeconds:)`` if a
  ///   newer proof is required.
  public func redeem(
    _ proof: VerifiedProof, _ request: RedemptionRequest, for claimant: Claimant
  ) async throws -> Redemption {
    let settings = try settings(of: proof.app)
    guard claimant.app == nil || claimant.app == proof.app else {
      throw LedgerError.invalid("This token is of the app \(claimant.app?.rawValue ?? ""), the proof of \(proof.app).")
    }
    var plan = RedemptionPlan(proof, request)
    let context = RedemptionWork.Context(
      proof: proof, isDivided: plan.parts.count > 1,
      digest: settings.reverificationSeconds == nil ? nil : proof.receiptDigest, settings: settings,
      device: ClaimDecision.DeviceProof(proof, of: claimant, storeNow: now, now: clock.now), now: clock.now,
      makeUUID: makeUUID)
    let isLarge = context.isDivided || proof.purchases.count > RedemptionPlan.mostPurchases
    guard isLarge else { return try await redeem(plan, context, joiningBy: proof.purchases, for: claimant) }
    return try await largeRedemptions.run(for: claimant.customer) {
      if context.isDivided {
        plan = RedemptionPlan(proof, request, redeemed: try await redeemedBefore(proof, by: claimant.customer))
      }
      return try await redeem(plan, context, joiningBy: try await joinable(context, for: claimant), for: claimant)
    }
  }

  private func redeem(
    _ plan: RedemptionPlan, _ context: RedemptionWork.Context, joiningBy joinable: [ProvenPurchase],
    for claimant: Claimant
  ) async throws -> Redemption {
    var unscheduled: Set<CustomerID> = []
    let redemption: Redemption
    do {
      redemption = try await redeemParts(plan, context, joiningBy: joinable, for: claimant, &unscheduled)
    } catch {
      // The parts that were committed remain. If this fails as well, the next request of these customers schedules the passes.
      try? await schedulePasses(of: unscheduled)
      throw error
    }
    try await schedulePasses(of: unscheduled)
    return redemption
  }

  /// - Parameter unscheduled: receives the customers whose passes have to be scheduled, after each transaction.
  private func redeemParts(
    _ plan: RedemptionPlan, _ context: RedemptionWork.Context, joiningBy joinable: [ProvenPurchase],
    for claimant: Claimant, _ unscheduled: inout Set<CustomerID>
  ) async throws -> Redemption {
    var (claimant, outcomes, isProofStored): (Claimant, [Int: RedeemedPurchase], Bool) = (claimant, [:], false)
    var otherPurchases: Set<TransactionID> = []
    var isFirst = true
    for (number, part) in plan.parts.enumerated() {
      // Later parts find no other customer than the first one.
      let (joinable, isStored) = (number == 0 ? joinable : [], isProofStored)
      var step = RedemptionWork.Step.movedBack
      while case .movedBack = step {
        let (current, isFirstStep) = (claimant, isFirst)
        step = try await write(part, context.proof, for: current) { transaction in
          var work = try RedemptionWork(transaction, context, part, for: current, isFirst: isFirstStep)
          return try work.redeem(joiningBy: joinable, isProofStored: isStored)
        }
        isFirst = false
        if case .movedBack = step { unscheduled.insert(current.customer) }
      }
      guard case .redeemed(let results, let customer, let isStoredNow, let transferred, let others) = step else {
        continue
      }
      otherPurchases.formUnion(others)
      unscheduled.formUnion(transferred)
      outcomes.merge(results) { $1 }
      isProofStored = isStoredNow
      if customer != claimant.customer {
        unscheduled.remove(claimant.customer)
        claimant = claimant.joined(to: customer)
      }
    }
    return Redemption(
      customer: claimant.customer, environment: context.proof.environment,
      purchases: outcomes.sorted { $0.key < $1.key }.map(\.value), otherPurchases: otherPurchases.sorted())
  }

  /// The maximum number of transaction ids in a proof and its request whose redemption shares a transaction. The other
  /// writes would wait for a larger one.
  private static let mostShared = 16

  private func write<Value: Sendable>(
    _ part: RedemptionPlan.Part, _ proof: VerifiedProof, for claimant: Claimant,
    _ body: @escaping @Sendable (LedgerTransaction) throws -> Value
  ) async throws -> Value {
    let locks = part.subscriptionLocks(of: proof).union([.customer(claimant.customer)])
    let keys = proof.purchases.count > Self.mostShared ? [] : proof.claimableKeys
    guard proof.purchases.count <= Self.mostShared, keys.count + part.items.count <= Self.mostShared else {
      return try await database.write(locking: locks, body)
    }
    return try await database.writeShared(locking: locks, about: keys, body)
  }

  /// Returns the first purchase of a large proof by which an earlier installation can be joined; empty if there is none. The
  /// claims are read in several transactions, before the customer's lock is held.
  private func joinable(
    _ context: RedemptionWork.Context, for claimant: Claimant
  ) async throws -> [ProvenPurchase] {
    guard !claimant.isIdentified, context.device.allowsJoining else { return [] }
    let (proof, size) = (context.proof, RedemptionPlan.mostPurchases)
    for start in stride(from: 0, to: proof.purchases.count, by: size) {
      let page = proof.purchases[start..<min(start + size, proof.purchases.count)]
      let found = try await database.read { transaction in
        var products = RedeemableProducts(transaction, app: proof.app)
        var owning: Set<CustomerID> = []
        return try page.first { purchase in
          guard let type = try purchase.type ?? products.product(purchase.productID)?.type,
            let claim = try transaction.claim(on: purchase, type, of: proof),
            let earlier = try transaction.earlierCustomer(of: claim, for: claimant.customer),
            !owning.contains(earlier.customer)
          else { return false }
          if try transaction.ownsNothing(claimant.customer, besidesClaimsOf: earlier.customer) { return true }
          owning.insert(earlier.customer)
          return false
        }
      }
      if let found { return [found] }
    }
    return []
  }
}

extension Claimant {
  /// The claimant after the installation was joined to an earlier customer.
  fileprivate func joined(to customer: CustomerID) -> Claimant {
    Claimant(
      customer: customer, isIdentified: isIdentified, device: device, app: app, registered: registered, issued: issued)
  }
}

extension VerifiedProof {
  /// The keys under which the purchases of the proof may be claimed: the key of a claim has the transaction id or the
  /// original transaction id, which depends on the product's type.
  ///
  /// Requested purchases that are not in the proof need no key: only the claimant's own claims of them matter.
  fileprivate var claimableKeys: Set<PurchaseKey> {
    Set(
      purchases.flatMap { [$0.transactionID, $0.originalTransactionID] }.map {
        PurchaseKey(app: app, environment: environment, id: $0)
      })
  }
}

extension RedemptionPlan.Part {
  /// The locks of the part's subscriptions, as far as the proof names the products' types. With them, the redemption need not
  /// begin again.
  fileprivate func subscriptionLocks(of proof: VerifiedProof) -> Set<LedgerLock> {
    Set(
      purchases.compactMap { purchase in
        guard let type = purchase.type, type == .autoRenewableSubscription else { return nil }
        return .subscription(proof.claimKey(of: purchase, type))
      })
  }
}
