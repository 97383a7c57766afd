import SignedData
import StoreModel

extension VerifiedProof {
  /// Verifies a proof by its signature alone. `statedDate` becomes the date of signing; for a legacy receipt, the date of
  /// the purchase.
  ///
  /// An expired receipt (volume purchases) is accepted, because only the copy of the app has expired, not its purchases.
  ///
  /// - Parameter check: checks the status of the certificates, which lead to a trusted root.
  /// - Throws: ``ProofRefusal``.
  init(
    _ proof: PurchaseProof, _ policy: VerificationPolicy, verifiedBy verifier: SignedDataVerifier,
    checking check: (_ certificates: [[UInt8]]) async throws(ProofRefusal) -> Void
  ) async throws(ProofRefusal) {
    let expected = Expectation(bundleID: policy.bundleID, environments: policy.environments)
    switch proof {
    case .appReceipt(let data):
      let receipt = try await Self.verified(check) { () async throws(VerificationFailure) in
        try await verifier.verifyAppReceipt(data, expecting: expected)
      }
      self.init(
        proof: proof, app: receipt.bundleID, environment: try Self.known(receipt.environment),
        statedDate: receipt.creationDate, issuedDate: receipt.creationDate,
        purchases: try receipt.inAppPurchases.map { (purchase) throws(ProofRefusal) in try ProvenPurchase(purchase) },
        isIssued: receipt.isIssued(for:))
    case .legacyReceipt(let data):
      let receipt = try await Self.verified(check) { () async throws(VerificationFailure) in
        try await verifier.verifyLegacyReceipt(data, expecting: expected)
      }
      self.init(
        proof: proof, app: receipt.bundleID, environment: receipt.environment, statedDate: receipt.purchaseDate,
        issuedDate: nil, purchases: [try ProvenPurchase(receipt)], isIssued: receipt.isIssued(for:))
    case .signedTransaction(let jws):
      let transaction = try await Self.verified(check) { () async throws(VerificationFailure) in
        try await verifier.verifyTransaction(jws, expecting: expected)
      }
      self.init(
        proof: proof, app: transaction.bundleID, environment: try Self.known(transaction.environment),
        statedDate: transaction.signedDate, issuedDate: transaction.signedDate,
        purchases: [try ProvenPurchase(transaction)],
        isIssued: transaction.isIssued(for:))
    // There is no signature to verify.
    case .transactionID: throw .kindNotAccepted(.transactionID)
    }
  }

  private static func verified<Value>(
    _ check: (_ certificates: [[UInt8]]) async throws(ProofRefusal) -> Void,
    _ verify: () async throws(VerificationFailure) -> Verified<Value>
  ) async throws(ProofRefusal) -> Value {
    let verified: Verified<Value>
    do throws(VerificationFailure) {
      verified = try await verify()
    } catch {
      throw ProofRefusal(error)
    }
    try await check(verified.certificates)
    return verified.value
  }

  /// Returns the environment. The verifier has already checked that the policy accepts it.
  ///
  /// - Throws: ``ProofRefusal/wrongEnvironment(detail:)`` if the proof does not contain its environment.
  private static func known(_ environment: StoreEnvironment?) throws(ProofRefusal) -> StoreEnvironment {
    guard let environment else { throw .wrongEnvironment(detail: "it does not contain its environment") }
    return environment
  }
}
