import StoreModel

extension RedemptionWork {
  /// Joins the claimant to the customer of an earlier installation, if the proof shows that both have the same store
  /// account.
  ///
  /// A reinstalled app, or a second device, is a new customer who owns nothing. Only such a customer can be joined. The
  /// earlier customer is found by any purchase in the proof, not only by those that are claimed now. This matters for a
  /// customer who buys before restoring: after the first claim, the customer owns something and can no longer be
  /// joined.
  ///
  /// An `appAccountToken` alone never joins two customers: the buyer chooses its value. A customer who has only shown a
  /// copy of a receipt is not joined either. The proof must have been made after the claimant registered
  /// (Documentation/threat-model.md, "Joining an earlier installation").
  ///
  /// - Parameter purchases: the purchases by which the earlier customer is looked for.
  /// - Returns: false if claims were moved back, but not all of them. Then the claimant is not joined yet.
  /// - Throws: ``LedgerError/proofNotNewer(retryAfterSeconds:)`` if the proof is of the second of the registration.
  mutating func joinEarlierInstallation(by purchases: [ProvenPurchase]) throws -> Bool {
    guard mayJoin() else { return true }
    var owningBesides: [CustomerID: Bool] = [:]
    for purchase in purchases {
      guard let type = try type(of: purchase) else { continue }
      guard let claim = try transaction.claim(on: purchase, type, of: proof),
        let earlier = try transaction.earlierCustomer(of: claim, for: claimant.customer)
      else { continue }
      let owns =
        try owningBesides[earlier.customer]
        ?? !transaction.ownsNothing(claimant.customer, besidesClaimsOf: earlier.customer)
      owningBesides[earlier.customer] = owns
      guard !owns else { continue }
      if case .issuedInSameSecond(let seconds) = context.device {
        throw LedgerError.proofNotNewer(retryAfterSeconds: seconds)
      }
      try transaction.require(.customer(claimant.customer), .customer(earlier.customer))
      guard try moveClaimsBack(to: earlier.customer) else { return false }
      try transaction.join(claimant.customer, to: earlier.customer)
      claimant = ClaimDecision.Customer(earlier)
      return true
    }
    return true
  }

  /// Moves claims of the claimant back to the earlier customer, from whom they were transferred.
  ///
  /// - Returns: whether all were moved.
  private mutating func moveClaimsBack(to earlier: CustomerID) throws -> Bool {
    let claims = try transaction.claims(of: claimant.customer, limit: RedemptionPlan.mostPurchases + 1)
    // The locks are requested together, because the transaction starts again for each request with a missing lock.
    try transaction.require(Set(claims.flatMap { try transaction.locks(on: $0.key, $0.type) }))
    var left = PassSchedule()
    for claim in claims.prefix(RedemptionPlan.mostPurchases) {
      var claim = claim
      let wasByDevice = claim.isByDevice
      claim.isByDevice = true
      let moved = try transaction.move(claim, to: earlier, wasByDevice: wasByDevice, &left, now)
      guard let status = try transaction.revocationStatus(of: moved, now) else { continue }
      _ = try settle(moved, by: status)
    }
    // When all claims were moved, the claimant has no pass. Until then, the passes that are left would be scheduled in each
    // transaction.
    try transaction.noteUnscheduled(left, for: earlier)
    guard claims.count <= RedemptionPlan.mostPurchases else { return false }
    try transaction.schedulePasses(of: claimant.customer)
    return true
  }
}

extension LedgerTransaction {
  /// Returns the earlier customer to whom a claimant may be joined; nil if there is none, or if that customer is not
  /// anonymous.
  ///
  /// If the claim's owner is not the claimant and has shown a device proof (a proof that was issued for the customer's
  /// device), the owner is the earlier customer. Otherwise, it is the last previous owner, other than the claimant, who
  /// had shown a device proof.
  func earlierCustomer(of claim: Claim, for claimant: CustomerID) throws -> CustomerStatus? {
    let isOfEarlier = claim.isByDevice && claim.customer != claimant
    let customer = isOfEarlier ? claim.customer : try lastCustomerByDevice(of: claim.key, besides: claimant)
    guard let customer, let status = try status(of: customer), status.isAnonymous else { return nil }
    return status
  }
}
