import StoreModel

extension Ledger {
  /// Returns those of the requested purchases in a receipt that are consumables and that no customer has claimed.
  ///
  /// Receipts do not contain the `appAccountToken`, and a claim of a consumable is never transferred. So the App Store Server API is
  /// asked about these before they are redeemed (``ProofVerifier/ConsumableLookup``). The result is empty if the app's tokens name no
  /// customers.
  ///
  /// - Parameter requested: transaction ids, or original transaction ids, as in a redemption.
  /// - Returns: the transaction ids.
  public func unclaimedConsumables(
    _ requested: Set<TransactionID>, in proof: VerifiedProof
  ) async throws -> Set<TransactionID> {
    guard try settings(of: proof.app).accountTokensNameCustomers else { return [] }
    let purchases = ProvenPurchases(proof)
    let ids = Set(requested.compactMap { purchases.purchase($0)?.transactionID })
    let wanted = proof.purchases.filter { ids.contains($0.transactionID) }
    var unclaimed: Set<TransactionID> = []
    for start in stride(from: 0, to: wanted.count, by: RedemptionPlan.mostPurchases) {
      let page = wanted[start..<min(start + RedemptionPlan.mostPurchases, wanted.count)]
      unclaimed.formUnion(
        try await database.read { transaction in
          var products = RedeemableProducts(transaction, app: proof.app)
          let consumables = try page.filter { try products.type(of: $0) == .consumable }
          let claims = try consumables.map { try transaction.claimLater(proof.claimKey(of: $0, .consumable)) }
          return try zip(consumables, claims).filter { try $1.row == nil }.map(\.0.transactionID)
        })
    }
    return unclaimed
  }
}
