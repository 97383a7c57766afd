import StoreModel

extension Ledger {
  /// Returns the original transaction ids of the purchases that a repeated redemption would not change: the customer has claimed
  /// them, and their stored status is that of the proof, or newer.
  ///
  /// They are read in several transactions, before the customer's lock is held. So they only determine the order of the parts.
  func redeemedBefore(_ proof: VerifiedProof, by customer: CustomerID) async throws -> Set<TransactionID> {
    var (redeemed, others): (Set<TransactionID>, Set<TransactionID>) = ([], [])
    let size = RedemptionPlan.mostPurchases
    for start in stride(from: 0, to: proof.purchases.count, by: size) {
      let page = proof.purchases[start..<min(start + size, proof.purchases.count)]
      let known = try await database.read { transaction in
        var products = RedeemableProducts(transaction, app: proof.app)
        return try page.map { purchase in
          guard let type = try products.type(of: purchase) else { return false }
          return try transaction.isRedeemed(purchase, type, of: proof, by: customer)
        }
      }
      for (purchase, isKnown) in zip(page, known) {
        if isKnown {
          redeemed.insert(purchase.originalTransactionID)
        } else {
          others.insert(purchase.originalTransactionID)
        }
      }
    }
    return redeemed.subtracting(others)
  }
}

extension LedgerTransaction {
  fileprivate func isRedeemed(
    _ purchase: ProvenPurchase, _ type: ProductType, of proof: VerifiedProof, by customer: CustomerID
  ) throws -> Bool {
    let claim = proof.claimKey(of: purchase, type)
    // Each period of an auto-renewable subscription has its own status.
    let status = type == .autoRenewableSubscription ? purchase.transactionID : claim.id
    return try row(
      """
      SELECT 1 AS found FROM claim c
      JOIN statement s ON s.app = c.app AND s.environment = c.environment AND s.id = $4
      WHERE c.app = $1 AND c.environment = $2 AND c.id = $3 AND c.customer = $5 AND (s.revoked = $6 OR s.stated > $7)
      """, claim.app, claim.environment, claim.id, status, customer, purchase.revocation != nil,
      purchase.statedDate ?? proof.statedDate) != nil
  }
}
