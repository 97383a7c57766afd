import StoreModel

extension RedemptionWork {
  /// Sets the results of items that are missing in the proof, but were claimed by the claimant before.
  ///
  /// A receipt lists a consumable only until its transaction is finished. An app that did not receive the answer to its
  /// first request may repeat it with a receipt that no longer lists the purchase.
  mutating func answerFromClaims(_ items: [RedemptionRequest.Item]) throws {
    for (place, item, claim) in try knownClaims(items) {
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

  /// Requests the locks for ``answerFromClaims(_:)``. Called before anything is changed, because a missing lock undoes the
  /// changes of all writes that share the transaction.
  func lockKnownClaims(_ items: [RedemptionRequest.Item]) throws {
    try transaction.require(
      Set(try knownClaims(items).flatMap { try transaction.locks(on: $0.claim.key, $0.claim.type) }))
  }

  /// The claimant's claims of items that are missing in the proof.
  private func knownClaims(
    _ items: [RedemptionRequest.Item]
  ) throws -> [(place: Int, item: RedemptionRequest.Item, claim: Claim)] {
    try items.enumerated().compactMap { place, item in
      guard purchase(item.transactionID) == nil else { return nil }
      let key = PurchaseKey(app: proof.app, environment: proof.environment, id: item.transactionID)
      guard let claim = try transaction.claim(key), claim.customer == claimant.customer else { return nil }
      return (place, item, claim)
    }
  }
}
