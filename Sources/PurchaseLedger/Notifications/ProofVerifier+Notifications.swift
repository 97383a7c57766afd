import AppStoreServerAPI
import SignedData
import StoreModel

extension ProofVerifier {
  /// Verifies a notification that was posted to this server or is in the notification history: its signature, its chain, app,
  /// environment and App Store number, and the signed data in it. Then the status of its certificates, if the app's policy asks
  /// about it. It works with every method of verification, and the Server API is not asked.
  ///
  /// - Parameter signedPayload: a JWS.
  /// - Throws: ``ProofRefusal``.
  public func verify(
    notification signedPayload: String, for app: BundleID
  ) async throws(ProofRefusal) -> StoreNotification {
    let policy = try policy(of: app)
    let verified: VerifiedNotification
    do throws(VerificationFailure) {
      verified = try await verifier.verifyNotification(
        signedPayload, expecting: Expectation(bundleID: app, environments: policy.environments),
        appAppleID: policy.appAppleID)
    } catch {
      throw ProofRefusal(error)
    }
    let chains = [
      verified.payload.certificates, verified.transaction?.certificates, verified.renewalInfo?.certificates,
      verified.appTransaction?.certificates,
    ]
    for chain in Set(chains.compactMap(\.self)) { try await check(chain, policy) }
    return try StoreNotification(verified, of: app, payload: signedPayload)
  }
}
