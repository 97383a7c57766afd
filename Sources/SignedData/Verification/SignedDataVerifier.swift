/// Verifies data that the App Store, or an emulator, has signed: JWS, app receipts, legacy receipts.
///
/// ```swift
/// let verifier = SignedDataVerifier(anchors: .apple)
/// let transaction = try await verifier.verifyTransaction(
///   jws, expecting: Expectation(bundleID: "com.example.game", environments: [.production]))
/// ```
///
/// It requires a fixed algorithm, a chain to one of the anchors, the marker extensions, and certificates that were
/// valid at the time of signing. It does not access the network, so it does not detect that a certificate was revoked,
/// or a purchase refunded, after signing. Verified chains are cached; use one verifier for all work with the same
/// anchors.
public final class SignedDataVerifier: Sendable {
  public let anchors: TrustAnchors
  let chainVerifier: ChainVerifier
  let chains: VerifiedChainCache
  let legacyIssuers: [LegacyIssuer]

  /// - Parameter anchors: the trust anchors. Certificates that cannot be read are ignored. A failure with the fault
  ///   `chain` reports their number.
  public init(anchors: TrustAnchors) {
    self.anchors = anchors
    chainVerifier = ChainVerifier(anchors: anchors)
    chains = VerifiedChainCache()
    legacyIssuers = LegacyIssuer.issuers(anchors)
  }
}
