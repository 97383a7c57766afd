import StoreModel

extension RedemptionWork {
  /// Returns the results of items that are missing in the proof, but were claimed by the claimant before.
  ///
  /// A receipt lists a consumable only until its transaction is finished. An app that did not receive the answer to its
  /// first request may repeat it with a receipt that no longer lists the purchase.
  mutating func resultsOfKnownClaims() throws -> [(item: RedemptionPlan.Item, product: ProductID, result: ClaimResult)]
  {
    var results: [(RedemptionPlan.Item, ProductID, ClaimResult)] = []
    for (item, claim) in try knownClaims() {
      if let product = item.requested?.productID, product != claim.product {
        results.append((item, claim.product, .refused(.otherProduct(claim.product))))
      } else if let status = try transaction.revocationStatus(of: claim, now) {
        results.append((item, claim.product, try goods(of: claim, by: status, isNew: false)))
      }
    }
    return results
  }

  /// Requests the locks for ``resultsOfKnownClaims()``. Called before anything is changed, because a missing lock undoes the
  /// changes of all writes that share the transaction.
  func lockKnownClaims() throws {
    try transaction.require(Set(try knownClaims().flatMap { try transaction.locks(on: $0.claim.key, $0.claim.type) }))
  }

  /// The claimant's claims of items that are missing in the proof.
  private func knownClaims() throws -> [(item: RedemptionPlan.Item, claim: Claim)] {
    try part.items.compactMap { item in
      guard let id = item.requested?.transactionID, item.candidates.isEmpty else { return nil }
      let key = PurchaseKey(app: proof.app, environment: proof.environment, id: id)
      guard let claim = try transaction.claim(key), claim.customer == claimant.customer else { return nil }
      return (item, claim)
    }
  }
}
