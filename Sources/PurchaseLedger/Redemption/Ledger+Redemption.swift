import Foundation
import SignedData
import StoreModel

extension Ledger {
  /// Gives a customer what a proof shows to be theirs: one transaction, in which each purchase is either given or refused
  /// with its own reason. Repeated, it answers the same and gives nothing more.
  ///
  /// - Parameters:
  ///   - proof: verified by the app's policy.
  ///   - request: what of it is claimed.
  ///   - claimant: who asks.
  /// - Throws: ``LedgerError/unknownCustomer(_:)``: the claimant has to sign in again, and may then ask again.
  public func redeem(
    _ proof: VerifiedProof, _ request: RedemptionRequest, for claimant: Claimant
  ) async throws -> Redemption {
    let settings = try settings(of: proof.app)
    guard claimant.app == nil || claimant.app == proof.app else {
      throw LedgerError.invalid("This token is of the app \(claimant.app?.rawValue ?? ""), the proof of \(proof.app).")
    }
    let (now, makeUUID) = (clock.now, makeUUID)
    return try await database.write(locking: [.customer(claimant.customer)]) { transaction in
      var work = try RedemptionWork(
        transaction, proof, settings, for: claimant, at: now, makeUUID: makeUUID)
      return try work.redeem(request)
    }
  }
}
