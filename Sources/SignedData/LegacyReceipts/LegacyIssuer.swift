import CryptoExtras
import StoreModel
import X509

/// A certificate that issues the leaf certificates of legacy receipts.
struct LegacyIssuer: Sendable {
  let outline: CertificateOutline
  let key: _RSA.Signing.PublicKey
  /// The fingerprint of the certificate's root if the root is trusted as well; otherwise the fingerprint of the
  /// certificate.
  let anchor: SHA256Fingerprint
  /// The validity of the certificate itself. It is trusted, so the validity of its root does not matter.
  let validity: ClosedRange<StoreDate>

  /// The legacy issuers among the trust anchors. Skips certificates that cannot be read, have no RSA key, or are not
  /// those of a certificate authority.
  static func issuers(_ anchors: TrustAnchors) -> [LegacyIssuer] {
    let roots = anchors.certificates.sorted { $0.lexicographicallyPrecedes($1) }.compactMap(TrustedRoot.init(der:))
    return anchors.legacyIntermediates.sorted { $0.lexicographicallyPrecedes($1) }.compactMap {
      LegacyIssuer(der: $0, roots: roots)
    }
  }

  private init?(der: [UInt8], roots: [TrustedRoot]) {
    guard let trusted = TrustedRoot(der: der), let key = _RSA.Signing.PublicKey(trusted.certificate.publicKey),
      case .isCertificateAuthority = try? trusted.certificate.extensions.basicConstraints
    else { return nil }
    outline = trusted.outline
    self.key = key
    let root = roots.first {
      trusted.outline.isIssued(byNameOf: $0.outline)
        && $0.certificate.publicKey.isValidSignature(trusted.certificate.signature, for: trusted.certificate)
    }
    anchor = root?.fingerprint ?? trusted.fingerprint
    validity = trusted.outline.validity
  }
}
