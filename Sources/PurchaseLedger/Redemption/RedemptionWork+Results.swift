import StoreModel

extension RedemptionWork {
  /// Returns the results of a part by place. Entitlements are read after everything was written.
  func results(
    of items: RedemptionItems, _ records: RedemptionRecords, _ written: WrittenDecisions
  ) throws -> [Int: RedeemedPurchase] {
    var results = items.refused
    for (entry, written) in zip(items.entries, written.entries) {
      let outcome = try outcome(of: written)
      for (number, request) in entry.requests.enumerated() {
        results[request.place] = RedeemedPurchase(
          transactionID: request.transactionID, productID: request.productID,
          outcome: number == 0 ? outcome : outcome.repeated)
      }
    }
    for (item, written) in zip(items.missing, written.missing) {
      guard let written, let claim = records.claims[item.key]?.claim else { continue }
      results[item.place] = RedeemedPurchase(
        transactionID: item.requested.transactionID, productID: claim.product, outcome: try outcome(of: written))
    }
    return results
  }

  private func outcome(of written: WrittenDecision) throws -> RedeemedPurchase.Outcome {
    if let refusal = written.decision.refusal { return .refused(refusal) }
    guard let claim = written.claim else { return .refused(.notInProof) }
    let entitlement =
      claim.type.lasts
      ? try transaction.entitlement(
        of: claim.customer, app: proof.app, product: claim.product, source: claim.source) : nil
    return .given(
      GivenGoods(
        claim: claim.key.id, claimed: claim.claimed, isNew: written.decision.isNew,
        credits: claim.unit.map { LedgerProduct.Credits(unit: $0, amount: claim.given) }, entitlement: entitlement,
        delivery: written.delivery))
  }
}

extension RedeemedPurchase.Outcome {
  /// The outcome for a second item with the same purchase.
  fileprivate var repeated: Self {
    guard case .given(let goods) = self else { return self }
    return .given(
      GivenGoods(
        claim: goods.claim, claimed: goods.claimed, isNew: false, credits: goods.credits,
        entitlement: goods.entitlement, delivery: goods.delivery))
  }
}
