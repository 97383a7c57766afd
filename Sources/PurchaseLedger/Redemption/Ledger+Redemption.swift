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
    try await redeem(proof, request, for: claimant, by: .redemption)
  }

  /// - Parameter cause: how the ledger learns of the purchases.
  func redeem(
    _ proof: VerifiedProof, _ request: RedemptionRequest, for claimant: Claimant, by cause: LedgerChange.Cause
  ) async throws -> Redemption {
    let settings = try settings(of: proof.app)
    guard claimant.app == nil || claimant.app == proof.app else {
      throw LedgerError.invalid("This token is of the app \(claimant.app?.rawValue ?? ""), the proof of \(proof.app).")
    }
    var plan = RedemptionPlan(proof, request)
    let context = RedemptionWork.Context(
      proof: proof, isDivided: plan.parts.count > 1,
      digest: settings.reverificationSeconds == nil ? nil : proof.storedDigest, settings: settings,
      device: ClaimDecision.DeviceProof(proof, of: claimant, storeNow: now, now: clock.now), now: clock.now,
      cause: cause, makeUUID: makeUUID)
    let isLarge = context.isDivided || proof.purchases.count > RedemptionPlan.mostPurchases
    guard isLarge else { return try await redeem(plan, context, joiningBy: proof.purchases, for: claimant) }
    return try await largeRedemptions.run(for: claimant.customer) {
      if context.isDivided {
        plan = RedemptionPlan(proof, request, redeemed: try await redeemedBefore(proof, by: claimant.customer))
      }
      return try await redeem(plan, context, joiningBy: try await joinable(context, for: claimant), for: claimant)
    }
  }

  /// Returns the first purchase of a large proof by which an earlier installation can be joined; empty if there is none. The
  /// claims are read in several transactions, before the customer's lock is held.
  private func joinable(
    _ context: RedemptionWork.Context, for claimant: Claimant
  ) async throws -> [ProvenPurchase] {
    let redeemer = Redeemer(
      customer: ClaimDecision.Customer(customer: claimant.customer, isIdentified: claimant.isIdentified),
      device: context.device, hasVendorIdentifier: claimant.hasVendorIdentifier)
    guard redeemer.mayJoin else { return [] }
    let (proof, size) = (context.proof, RedemptionPlan.mostPurchases)
    for start in stride(from: 0, to: proof.purchases.count, by: size) {
      let page = proof.purchases[start..<min(start + size, proof.purchases.count)]
      let found = try await database.read { transaction in
        var products = RedeemableProducts(transaction, app: proof.app)
        var search = EarlierCustomerSearch(transaction, for: redeemer, proof)
        return try page.first { purchase in
          guard let type = try products.type(of: purchase) else { return false }
          return try search.decision(by: purchase, type) != .stay
        }
      }
      if let found { return [found] }
    }
    return []
  }
}
