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
    let redeem: @Sendable (LedgerTransaction) throws -> Redemption = { transaction in
      var work = try RedemptionWork(transaction, proof, settings, for: claimant, at: now, makeUUID: makeUUID)
      return try work.redeem(request)
    }
    let locks = proof.subscriptionLocks.union([.customer(claimant.customer)])
    guard proof.claimableKeys.count + request.itemCount <= Self.mostShared else {
      return try await database.write(locking: locks, redeem)
    }
    return try await database.writeShared(locking: locks, about: proof.claimableKeys, redeem)
  }

  /// The maximum number of transaction ids in a proof and its request whose redemption shares a transaction. The other
  /// writes would wait for a larger one.
  private static let mostShared = 16
}

extension RedemptionRequest {
  fileprivate var itemCount: Int {
    switch self {
    case .purchases(let items): items.count
    case .everythingOwned: 0
    }
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

  /// The locks of the proof's subscriptions, as far as it names the products' types. With them, the redemption need not
  /// begin again.
  fileprivate var subscriptionLocks: Set<LedgerLock> {
    Set(
      purchases.compactMap { purchase in
        guard let type = purchase.type, type == .autoRenewableSubscription else { return nil }
        return .subscription(claimKey(of: purchase, type))
      })
  }
}
