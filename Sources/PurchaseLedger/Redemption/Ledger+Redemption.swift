import Foundation
import SignedData
import StoreModel

extension Ledger {
  /// Redeems purchases of a proof for a customer, in one transaction. Each purchase is either given or refused with its own
  /// reason. A repeated call gives the same result, and no further goods.
  ///
  /// - Parameters:
  ///   - proof: a proof that was verified by the app's policy.
  ///   - request: the purchases to redeem.
  ///   - claimant: the customer.
  /// - Throws: ``LedgerError/unknownCustomer(_:)`` if the customer was erased or joined to another customer. The
  ///   customer has to sign in again, and can then repeat the request.
  public func redeem(
    _ proof: VerifiedProof, _ request: RedemptionRequest, for claimant: Claimant
  ) async throws -> Redemption {
    let settings = try settings(of: proof.app)
    guard claimant.app == nil || claimant.app == proof.app else {
      throw LedgerError.invalid("This token is of the app \(claimant.app?.rawValue ?? ""), the proof of \(proof.app).")
    }
    let (now, makeUUID) = (clock.now, makeUUID)
    return try await database.writeShared(locking: [.customer(claimant.customer)]) { transaction in
      var work = try RedemptionWork(
        transaction, proof, settings, for: claimant, at: now, makeUUID: makeUUID)
      return try work.redeem(request)
    }
  }
}
