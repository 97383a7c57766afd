import Crypto
import CryptoExtras
import StoreModel
import SwiftASN1
@_spi(DisableValidityCheck) import X509

/// Verifies certificate chains of a leaf, one intermediate and a trusted root. It never accesses the network.
///
/// It tries all combinations of the three instead of searching a path. So the number of steps depends only on the
/// number of certificates, even if an attacker has chosen them.
struct ChainVerifier: Sendable {
  private let anchors: TrustAnchors
  private let roots: [TrustedRoot]
  /// The number of trusted certificates that could not be read.
  private let unreadable: Int

  init(anchors: TrustAnchors) {
    self.anchors = anchors
    roots = anchors.certificates.sorted { $0.lexicographicallyPrecedes($1) }.compactMap(TrustedRoot.init(der:))
    unreadable = anchors.certificates.count - roots.count
  }

  /// The possible roots: the trusted certificates, and those of `carried` whose fingerprint is trusted.
  func roots(carried: some Sequence<[UInt8]>) -> [TrustedRoot] {
    guard !anchors.fingerprints.isEmpty else { return roots }
    return roots
      + carried.filter { anchors.fingerprints.contains(SHA256Fingerprint(of: $0)) }.compactMap(TrustedRoot.init(der:))
  }

  /// Finds a valid chain whose certificates are all valid at `date`.
  ///
  /// - Parameters:
  ///   - leaf: the signer's certificate.
  ///   - intermediates: certificates that may have issued the leaf.
  ///   - carried: certificates that may be the root, if their fingerprint is trusted.
  /// - Throws: ``VerificationFailure`` with the fault `chain`, `marker` or `date`; `structure` if the leaf cannot be
  ///   read. If several chains were tried, the fault is that of the chain that passed the most checks.
  func verify(
    leaf: CertificateOutline, intermediates: [CertificateOutline], carried: [[UInt8]], at date: StoreDate
  ) async throws(VerificationFailure) -> VerifiedChain {
    guard let leafCertificate = try? Certificate(derEncoded: leaf.der) else {
      throw .structure("the signer's certificate cannot be read, or its key is of an unsupported kind")
    }
    var failure = VerificationFailure(fault: .chain, detail: unknownRoot)
    let roots = roots(carried: carried)
    for intermediate in intermediates where leaf.isIssued(byNameOf: intermediate) {
      guard let certificate = try? Certificate(derEncoded: intermediate.der) else { continue }
      for root in roots where intermediate.isIssued(byNameOf: root.outline) {
        guard await Self.isPath(leafCertificate, certificate, root.certificate) else { continue }
        let found = Path(leaf: leaf, leafCertificate: leafCertificate, intermediate: intermediate, root: root)
        do throws(VerificationFailure) {
          return try found.checked(at: date)
        } catch let error where Self.isFurther(error.fault, than: failure.fault) {
          failure = error
        } catch {
          continue
        }
      }
    }
    throw failure
  }

  /// Verifies a chain of one certificate, which must itself be trusted.
  func verifySelfSigned(
    _ certificate: CertificateOutline, at date: StoreDate
  ) throws(VerificationFailure) -> VerifiedChain {
    let fingerprint = SHA256Fingerprint(of: certificate.der)
    guard anchors.selfSignedFingerprints.contains(fingerprint) else {
      throw VerificationFailure(
        fault: .chain,
        detail: "its only certificate (SHA-256 \(fingerprint)) is not trusted; if it is that of your own Xcode, "
          + "name it among the trusted self-signed certificates")
    }
    let chain = VerifiedChain(
      leafKey: try Path.leafKey((try? Certificate(derEncoded: certificate.der))?.publicKey),
      validity: certificate.validity, anchor: fingerprint, isSelfSigned: true, certificates: [certificate.der])
    try chain.checkDate(date)
    return chain
  }

  private var unknownRoot: String {
    var detail = "its certificates do not lead to a trusted root"
    if unreadable > 0 { detail += "; \(unreadable) of the trusted certificates cannot be read" }
    return detail + ". Emulator data needs the emulator's root, App Store data needs Apple's"
  }

  private static func isFurther(
    _ left: VerificationFailure.Fault, than right: VerificationFailure.Fault
  ) -> Bool {
    let order = VerificationFailure.Fault.allCases
    return (order.firstIndex(of: left) ?? 0) > (order.firstIndex(of: right) ?? 0)
  }

  /// Whether the three certificates are a path by RFC 5280, except for the dates. Dates are checked separately: they
  /// have a fault of their own, and must be checked again each time a cached chain is used.
  private static func isPath(_ leaf: Certificate, _ intermediate: Certificate, _ root: Certificate) async -> Bool {
    var verifier = Verifier(rootCertificates: CertificateStore([root])) {
      RFC5280Policy.withValidityCheckDisabled()
      ThreeCertificates()
    }
    switch await verifier.validate(leaf: leaf, intermediates: CertificateStore([intermediate])) {
    case .validCertificate: return true
    case .couldNotValidate: return false
    }
  }

  private struct ThreeCertificates: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = []

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
      chain.count == 3 ? .meetsPolicy : .failsToMeetPolicy(reason: "the chain is not leaf, intermediate and root")
    }
  }

  /// A valid path, whose markers and dates are not checked yet.
  private struct Path {
    let leaf: CertificateOutline
    let leafCertificate: Certificate
    let intermediate: CertificateOutline
    let root: TrustedRoot

    func checked(at date: StoreDate) throws(VerificationFailure) -> VerifiedChain {
      guard leaf.has(CertificateMarker.receiptSigning) else {
        throw VerificationFailure(
          fault: .marker, detail: "the signer's certificate is not made for signing receipts (6.11.1 is missing)")
      }
      guard intermediate.has(CertificateMarker.developerRelations) else {
        throw VerificationFailure(
          fault: .marker, detail: "the intermediate certificate is not the one for receipts (6.2.1 is missing)")
      }
      let periods = [leaf.validity, intermediate.validity, root.outline.validity]
      let first = periods.map(\.lowerBound).max() ?? leaf.validity.lowerBound
      let last = periods.map(\.upperBound).min() ?? leaf.validity.upperBound
      guard first <= last else {
        throw VerificationFailure(fault: .date, detail: "its certificates were never valid all at once")
      }
      let chain = VerifiedChain(
        leafKey: try Self.leafKey(leafCertificate.publicKey), validity: first...last, anchor: root.fingerprint,
        isSelfSigned: false, certificates: [leaf.der, intermediate.der, root.outline.der],
        issuers: [SHA256Fingerprint(of: intermediate.der), root.fingerprint])
      try chain.checkDate(date)
      return chain
    }

    static func leafKey(_ key: Certificate.PublicKey?) throws(VerificationFailure) -> VerifiedChain.LeafKey {
      if let key, let p256 = P256.Signing.PublicKey(key) { return .p256(p256) }
      if let key, let rsa = _RSA.Signing.PublicKey(key) { return .rsa(rsa) }
      throw VerificationFailure(fault: .chain, detail: "the signer's key is neither P-256 nor RSA")
    }
  }
}
