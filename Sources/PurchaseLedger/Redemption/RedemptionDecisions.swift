import StoreModel

/// The decisions on a part of a redemption, in the order in which they are written.
struct RedemptionDecisions: Hashable, Sendable {
  /// Those on refunded purchases that are not redeemed now.
  let refunded: [RedemptionDecision]
  /// One for each of ``RedemptionItems/entries``.
  let entries: [RedemptionDecision]
  /// One for each of ``RedemptionItems/missing``; nil if the claimant has not claimed it before.
  let missing: [RedemptionDecision?]

  /// Decides on a part. Purchases of one claim that name different customers are decided on one after the other: each decision
  /// follows from what those before it have changed.
  ///
  /// - Throws: ``LedgerError/proofNotNewer(retryAfterSeconds:)``, ``LedgerError/amountOutOfRange(_:)``.
  init(
    on items: RedemptionItems, _ records: RedemptionRecords, by redeemer: Redeemer, _ now: StoreDate
  ) throws(LedgerError) {
    refunded = records.refunded.map { RedemptionDecision(key: $0, change: .settle, refusal: nil) }
    var claims = records.claims
    var decided: [RedemptionDecision] = []
    for entry in items.entries {
      guard let record = claims[entry.key] else {
        let isOther = records.otherPurchases.contains(entry.key.id)
        decided.append(
          RedemptionDecision(key: entry.key, change: .none, refusal: isOther ? .otherPurchase : .notInProof))
        continue
      }
      let decision = try RedemptionDecision(
        on: entry, record, named: entry.purchase.appAccountToken.flatMap { records.named[$0] }, by: redeemer, now)
      claims[entry.key] = record.after(decision.change, by: redeemer)
      decided.append(decision)
    }
    entries = decided
    missing = items.missing.map { item in
      guard let record = claims[item.key], let claim = record.claim, claim.customer == redeemer.customer.customer
      else { return nil }
      return RedemptionDecision(on: item, record, claim)
    }
  }
}
