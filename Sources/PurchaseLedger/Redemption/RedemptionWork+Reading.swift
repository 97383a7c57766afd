import StoreModel

extension RedemptionWork {
  /// Requires all locks, records the statuses, and reads everything else on which the decisions depend.
  mutating func lockAndRead(_ items: RedemptionItems) throws -> RedemptionRecords {
    let claimant = redeemer.customer
    // Until the locks are held, these rows only show which locks are required. The claimant's lock is held already, so the
    // claimant's own claims stay as they are.
    let groups = try recordedGroups(items.entries)
    let found = try groups.map { try recordedInAdvance($0.key) ?? RecordedPurchase($0, transaction) }
    let missing = try items.missing.map { try transaction.claimLater($0.key) }
    let recordable = try RecordablePurchases(found)
    let known = try missing.compactMap { try $0.row.map(Claim.init) }.filter { $0.customer == claimant.customer }
    // All are required together, and before anything is changed: the transaction starts again for each request with a missing
    // lock, and this undoes the changes of all writes that share it.
    try transaction.require(
      recordable.locks.union(known.flatMap { LedgerLock.settling($0.key, $0.type, owner: $0.customer) }))

    let redeemed = Set(items.entries.map(\.key))
    var recorded = try transaction.recordStatuses(of: recordable.groups, in: proof, now).filter {
      $0.claim != nil || redeemed.contains($0.group.key)
    }
    let refunded = recorded.map(\.group.key).filter { !redeemed.contains($0) }
    for claim in known {
      guard let status = try transaction.revocationStatus(of: claim, now) else { continue }
      let group = ClaimableGroup(key: claim.key, type: claim.type, purchases: [])
      recorded.append(RecordedGroup(group: group, status: status, claim: claim))
    }
    let tokens = context.settings.accountTokensNameCustomers ? items.entries.compactMap(\.purchase.appAccountToken) : []
    var records = try transaction.records(of: recorded, naming: Set(tokens), for: claimant)
    records.refunded = refunded
    records.otherPurchases = recordable.otherPurchases
    return records
  }

  /// Returns the purchases whose statuses are recorded, by claim: those that are redeemed, and all refunds in the proof, even those
  /// of purchases that are not redeemed now.
  private mutating func recordedGroups(_ entries: [RedemptionEntry]) throws -> [ClaimableGroup] {
    // The status of an auto-renewable subscription is that of all its periods.
    let periods = Dictionary(grouping: part.purchases, by: \.originalTransactionID)
    var groups = entries.map { entry in
      let isRenewable = entry.product.type == .autoRenewableSubscription
      let purchases = isRenewable ? periods[entry.purchase.originalTransactionID] : nil
      return ClaimableGroup(key: entry.key, type: entry.product.type, purchases: purchases ?? [entry.purchase])
    }
    var known: Set<PurchaseKey> = []
    groups.removeAll { !known.insert($0.key).inserted }
    guard part.purchases.contains(where: { $0.revocation != nil }) else { return groups }
    let refunded = try proof.claimable(part.purchases, &settler.products).filter { group in
      !known.contains(group.key) && group.purchases.contains { $0.revocation != nil }
    }
    return groups + refunded
  }
}
