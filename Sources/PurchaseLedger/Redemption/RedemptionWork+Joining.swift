import StoreModel

extension RedemptionWork {
  /// Joins the claimant to the customer of an earlier installation, if ``JoinDecision`` says so.
  ///
  /// - Parameter purchases: the purchases by which the earlier customer is looked for.
  /// - Returns: false if claims were moved back, but not all of them. Then the claimant is not joined yet.
  /// - Throws: ``LedgerError/proofNotNewer(retryAfterSeconds:)`` if the proof is of the second of the registration.
  mutating func joinEarlierInstallation(by purchases: [ProvenPurchase]) throws -> Bool {
    guard redeemer.mayJoin else { return true }
    var search = EarlierCustomerSearch(transaction, for: redeemer, proof)
    for purchase in purchases {
      guard let type = try settler.products.type(of: purchase) else { continue }
      switch try search.decision(by: purchase, type) {
      case .stay: continue
      case .askAgain(let seconds): throw LedgerError.proofNotNewer(retryAfterSeconds: seconds)
      case .join(let earlier):
        let newcomer = redeemer.customer.customer
        try transaction.require(.customer(newcomer), .customer(earlier.customer))
        guard try moveClaimsBack(to: earlier.customer) else { return false }
        try transaction.join(newcomer, to: earlier.customer)
        redeemer.customer = earlier
        return true
      }
    }
    return true
  }

  /// Moves claims of the claimant back to the earlier customer, from whom they were transferred.
  ///
  /// - Returns: whether all were moved.
  private mutating func moveClaimsBack(to earlier: CustomerID) throws -> Bool {
    let claimant = redeemer.customer.customer
    let claims = try transaction.claims(of: claimant, limit: RedemptionPlan.mostPurchases + 1)
    // The locks are requested together, because the transaction starts again for each request with a missing lock.
    try transaction.require(Set(claims.flatMap { LedgerLock.settling($0.key, $0.type, owner: $0.customer) }))
    var left = PassSchedule()
    for claim in claims.prefix(RedemptionPlan.mostPurchases) {
      var claim = claim
      let wasByDevice = claim.isByDevice
      claim.isByDevice = true
      let moved = try transaction.move(claim, to: earlier, wasByDevice: wasByDevice, &left, now)
      guard let status = try transaction.revocationStatus(of: moved, now) else { continue }
      _ = try settler.settle(moved, by: status)
    }
    // When all claims were moved, the claimant has no pass. Until then, the passes that are left would be scheduled in each
    // transaction.
    try transaction.noteUnscheduled(left, for: earlier)
    guard claims.count <= RedemptionPlan.mostPurchases else { return false }
    try transaction.schedulePasses(of: claimant)
    return true
  }
}
