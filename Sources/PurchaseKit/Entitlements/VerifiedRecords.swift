import SignedData

/// The transactions and the renewal information that a ``TransactionReader`` has read last, by their JWS. They are not
/// verified again.
struct VerifiedRecords: Sendable {
  /// The maximum number of transactions, and of renewal information, that are kept. The others are verified again.
  private static let limit = 1_000

  /// The roots by which everything was verified; nil before the first run.
  private let anchors: TrustAnchors?
  private var transactions: [String: SignedTransaction] = [:]
  private var renewals: [String: SignedRenewalInfo] = [:]
  /// What was read in this run, also beyond the limit. Empty after the run.
  private var all: (transactions: [SignedTransaction], renewals: [SignedRenewalInfo]) = ([], [])
  private var proven: ProvenEntitlements?

  init(anchors: TrustAnchors? = nil) { self.anchors = anchors }

  mutating func add(_ transaction: SignedTransaction, _ jws: String) {
    all.transactions.append(transaction)
    if transactions.count < Self.limit { transactions[jws] = transaction }
  }

  mutating func add(_ renewal: SignedRenewalInfo, _ jws: String) {
    all.renewals.append(renewal)
    if renewals.count < Self.limit { renewals[jws] = renewal }
  }

  /// Ends the run.
  mutating func prove() -> ProvenEntitlements {
    let proven = SignedRecords(transactions: all.transactions, renewals: all.renewals).proven
    all = ([], [])
    self.proven = proven
    return proven
  }

  func transaction(_ jws: String, anchors: TrustAnchors) -> SignedTransaction? {
    anchors == self.anchors ? transactions[jws] : nil
  }

  func renewal(_ jws: String, anchors: TrustAnchors) -> SignedRenewalInfo? {
    anchors == self.anchors ? renewals[jws] : nil
  }

  /// Returns the entitlements that the last run has proven; nil if it did not include the transaction.
  func proven(including jws: String, anchors: TrustAnchors) -> ProvenEntitlements? {
    transaction(jws, anchors: anchors) == nil ? nil : proven
  }
}
