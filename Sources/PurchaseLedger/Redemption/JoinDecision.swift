import StoreModel

/// Decides whether the claimant is joined to the customer of an earlier installation, because the proof shows that both have the
/// same store account.
///
/// A reinstalled app, or a second device, is a new customer who owns nothing. Only such a customer can be joined. The
/// earlier customer is found by any purchase in the proof, not only by those that are claimed now. This matters for a
/// customer who buys before restoring: after the first claim, the customer owns something and can no longer be
/// joined.
///
/// An `appAccountToken` alone never joins two customers: the buyer chooses its value. A customer who has only shown a
/// copy of a receipt is not joined either. The proof must have been made after the claimant registered
/// (Documentation/threat-model.md, "Joining an earlier installation").
enum JoinDecision: Hashable, Sendable {
  case stay
  case join(ClaimDecision.Customer)
  /// The proof is of the second of the registration. A newer one shows whether they are joined, after this number of seconds.
  case askAgain(seconds: Int)

  /// - Parameters:
  ///   - earlier: an owner or previous owner of a purchase who has shown a device proof of it.
  ///   - ownsNothing: whether the claimant owns nothing but what was transferred from that customer.
  init(of redeemer: Redeemer, to earlier: CustomerStatus, ownsNothing: Bool) {
    guard redeemer.mayJoin, earlier.isAnonymous, ownsNothing else {
      self = .stay
      return
    }
    if case .issuedInSameSecond(let seconds) = redeemer.device {
      self = .askAgain(seconds: seconds)
    } else {
      self = .join(ClaimDecision.Customer(earlier))
    }
  }
}

/// Looks for an earlier customer by the claims on purchases of a proof.
struct EarlierCustomerSearch {
  private let transaction: LedgerTransaction
  private let redeemer: Redeemer
  private let proof: VerifiedProof
  /// Whether the claimant owns nothing besides claims of an earlier customer.
  private var ownsNothing: [CustomerID: Bool] = [:]

  init(_ transaction: LedgerTransaction, for redeemer: Redeemer, _ proof: VerifiedProof) {
    self.transaction = transaction
    self.redeemer = redeemer
    self.proof = proof
  }

  /// Returns what follows from one purchase.
  ///
  /// The earlier customer is the claim's owner, if this is not the claimant and has shown a device proof (a proof that was issued
  /// for the customer's device). Otherwise, it is the last previous owner, other than the claimant, who had shown one.
  mutating func decision(by purchase: ProvenPurchase, _ type: ProductType) throws -> JoinDecision {
    let claimant = redeemer.customer.customer
    guard redeemer.mayJoin, let claim = try transaction.claim(on: purchase, type, of: proof) else { return .stay }
    let isOfEarlier = claim.isByDevice && claim.customer != claimant
    let customer =
      isOfEarlier ? claim.customer : try transaction.lastCustomerByDevice(of: claim.key, besides: claimant)
    guard let customer, let earlier = try transaction.status(of: customer), earlier.isAnonymous else { return .stay }
    let ownsNothing = try ownsNothing[customer] ?? transaction.ownsNothing(claimant, besidesClaimsOf: customer)
    self.ownsNothing[customer] = ownsNothing
    return JoinDecision(of: redeemer, to: earlier, ownsNothing: ownsNothing)
  }
}
