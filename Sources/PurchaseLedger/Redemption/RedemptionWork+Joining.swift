import StoreModel

extension RedemptionWork {
  /// Makes the claimant the customer of an earlier installation, if the proof shows that both are the same store account.
  ///
  /// A reinstalled app, or a second device, is a new customer who owns nothing. The earlier customer is found by any
  /// purchase in the proof, not only by those that are claimed now: a customer who buys before restoring would otherwise
  /// be kept from joining by the new purchase.
  ///
  /// An `appAccountToken` alone never joins two customers: the buyer chooses its value. A customer who has only shown a
  /// copy of a receipt is not joined either. The proof must have been made after the claimant registered
  /// (Documentation/threat-model.md, "Joining an earlier installation").
  mutating func joinEarlierInstallation() throws {
    guard !claimant.isIdentified, mayJoin else { return }
    for purchase in proof.purchases {
      guard let type = try type(of: purchase) else { continue }
      let key = PurchaseKey(app: proof.app, environment: proof.environment, id: purchase.claimID(type))
      guard let claim = try transaction.claim(key), let earlier = try earlierCustomer(of: claim),
        try transaction.ownsNothing(claimant.customer, besidesClaimsOf: earlier.customer)
      else { continue }
      try transaction.require(.customer(claimant.customer), .customer(earlier.customer))
      try moveClaimsBack(to: earlier.customer)
      try transaction.join(claimant.customer, to: earlier.customer)
      claimant = ClaimDecision.Party(earlier)
      return
    }
  }

  /// The anonymous customer who has shown a proof of this claim that was issued for their device: its customer, or, if
  /// the claimant has it by an older proof, the customer before.
  private func earlierCustomer(of claim: Claim) throws -> CustomerStanding? {
    let customer: CustomerID?
    if claim.customer == claimant.customer {
      customer = try transaction.customerBeforeTransfer(of: claim)
    } else {
      customer = claim.isByDevice ? claim.customer : nil
    }
    guard let customer, customer != claimant.customer, let standing = try transaction.standing(of: customer),
      standing.isAnonymous
    else { return nil }
    return standing
  }

  /// Moves everything back that the claimant had received from the earlier customer by an older proof.
  private func moveClaimsBack(to earlier: CustomerID) throws {
    for claim in try transaction.claims(of: claimant.customer) {
      var claim = claim
      let wasByDevice = claim.isByDevice
      claim.isByDevice = true
      try transaction.require(Set(transaction.locks(on: claim.key, claim.type)))
      let moved = try transaction.move(claim, to: earlier, wasByDevice: wasByDevice, now)
      guard let statement = try transaction.statement(of: moved, now) else { continue }
      _ = try settle(moved, by: statement)
    }
  }
}
