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
  mutating func joinEarlierInstallation() throws {
    guard !claimant.isIdentified, mayJoin else { return }
    for purchase in proof.purchases {
      guard let type = try type(of: purchase) else { continue }
      let key = proof.claimKey(of: purchase, type)
      guard let claim = try transaction.claim(key), let earlier = try earlierCustomer(of: claim),
        try transaction.ownsNothing(claimant.customer, besidesClaimsOf: earlier.customer)
      else { continue }
      try transaction.require(.customer(claimant.customer), .customer(earlier.customer))
      try moveClaimsBack(to: earlier.customer)
      try transaction.join(claimant.customer, to: earlier.customer)
      claimant = ClaimDecision.Customer(earlier)
      return
    }
  }

  /// Returns the earlier customer to whom the claimant may be joined; nil if there is none, or if that customer is not
  /// anonymous.
  ///
  /// If the claim's owner is not the claimant and has shown a device proof (a proof that was issued for the customer's
  /// device), the owner is the earlier customer. Otherwise, it is the last previous owner, other than the claimant, who
  /// had shown a device proof.
  private func earlierCustomer(of claim: Claim) throws -> CustomerStatus? {
    let isOfEarlier = claim.isByDevice && claim.customer != claimant.customer
    let customer =
      isOfEarlier
      ? claim.customer : try transaction.lastCustomerByDevice(of: claim.key, besides: claimant.customer)
    guard let customer, let status = try transaction.status(of: customer), status.isAnonymous
    else { return nil }
    return status
  }

  /// Moves all claims of the claimant back to the earlier customer, from whom they were transferred.
  private mutating func moveClaimsBack(to earlier: CustomerID) throws {
    let claims = try transaction.claims(of: claimant.customer)
    // The locks are requested together, because the transaction starts again for each request with a missing lock.
    try transaction.require(Set(claims.flatMap { try transaction.locks(on: $0.key, $0.type) }))
    for claim in claims {
      var claim = claim
      let wasByDevice = claim.isByDevice
      claim.isByDevice = true
      let moved = try transaction.move(claim, to: earlier, wasByDevice: wasByDevice, now)
      guard let status = try transaction.revocationStatus(of: moved, now) else { continue }
      _ = try settle(moved, by: status)
    }
  }
}
