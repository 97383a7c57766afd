import StoreModel

extension RedemptionWork {
  /// Sets the results of items that are missing in the proof, but were claimed by the claimant before.
  ///
  /// A receipt lists a consumable only until its transaction is finished. An app that did not receive the answer to its
  /// first request may repeat it with a receipt that no longer lists the purchase.
  mutating func answerFromClaims(_ items: [RedemptionRequest.Item]) throws {
    var known: [(place: Int, item: RedemptionRequest.Item, claim: Claim)] = []
    for (place, item) in items.enumerated() where purchase(item.transactionID) == nil {
      let key = PurchaseKey(app: proof.app, environment: proof.environment, id: item.transactionID)
      guard let claim = try transaction.claim(key), claim.customer == claimant.customer else { continue }
      known.append((place, item, claim))
    }
    // The locks are requested together, because the transaction starts again for each request with a missing lock.
    try transaction.require(Set(known.flatMap { try transaction.locks(on: $0.claim.key, $0.claim.type) }))
    for (place, item, claim) in known {
      let outcome: RedeemedPurchase.Outcome
      if let product = item.productID, product != claim.product {
        outcome = .refused(.otherProduct(claim.product))
      } else {
        guard let status = try transaction.revocationStatus(of: claim, now) else { continue }
        outcome = try goods(of: claim, by: status, isNew: false)
      }
      outcomes[place] = RedeemedPurchase(
        transactionID: item.transactionID, productID: claim.product, outcome: outcome)
    }
  }
}
