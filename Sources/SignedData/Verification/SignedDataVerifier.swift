/// Verifies what the App Store, or an emulator of it, has signed: JWS, app receipts, legacy receipts.
///
/// ```swift
/// let verifier = SignedDataVerifier(anchors: .apple)
/// let transaction = try await verifier.verifyTransaction(
///   jws, expecting: Expectation(bundleID: "com.example.game", environments: [.production]))
/// ```
///
/// Only what is signed is believed: a fixed algorithm, a chain to one of the anchors, the marker extensions, dates at
/// the time of signing. There is no network access, so a certificate that was revoked, or a purchase refunded, after
/// signing is not noticed here. Chains that were found good are remembered; share one verifier for all work with the
/// same anchors.
public final class SignedDataVerifier: Sendable {
  /// What is trusted.
  public let anchors: TrustAnchors
  let chainVerifier: ChainVerifier
  let chains: VerifiedChainCache
  let legacyIssuers: [LegacyIssuer]

  /// - Parameter anchors: what is trusted. A certificate among them that cannot be read is never matched; refusals
  ///   then say so.
  public init(anchors: TrustAnchors) {
    self.anchors = anchors
    chainVerifier = ChainVerifier(anchors: anchors)
    chains = VerifiedChainCache()
    legacyIssuers = LegacyIssuer.issuers(anchors)
  }
}
