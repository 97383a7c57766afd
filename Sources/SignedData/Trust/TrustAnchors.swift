/// The trusted certificates and fingerprints. The chain of signed data must end at one of them.
///
/// Nothing else is trusted; the certificate store of the machine is not used.
public struct TrustAnchors: Hashable, Sendable {
  /// Root certificates in DER. The signed data need not contain them. A different root in it is ignored.
  public let certificates: Set<[UInt8]>
  /// Fingerprints of root certificates. The signed data itself must contain the certificate.
  public let fingerprints: Set<SHA256Fingerprint>
  /// Certificates in DER that issue the leaves of legacy receipts. A legacy receipt does not contain its leaf's issuer.
  /// These certificates are trusted, even if their own root is not one of `certificates`.
  public let legacyIntermediates: Set<[UInt8]>
  /// Fingerprints of the leaves in legacy receipts.
  public let legacyLeafFingerprints: Set<SHA256Fingerprint>
  /// Fingerprints of self-signed certificates that sign data directly, as in Xcode's StoreKit testing. They are trusted
  /// for the environment ``StoreEnvironment/xcode`` only.
  public let selfSignedFingerprints: Set<SHA256Fingerprint>

  /// Makes a set of trust anchors. Order and duplicates do not matter.
  ///
  /// - Parameters:
  ///   - certificates: root certificates, in DER.
  ///   - fingerprints: the fingerprints of root certificates that the signed data contains.
  ///   - legacyIntermediates: issuers of the leaves of legacy receipts, in DER.
  ///   - legacyLeafFingerprints: the fingerprints of leaves of legacy receipts.
  ///   - selfSignedFingerprints: the fingerprints of certificates that sign data of Xcode's environment directly.
  public init(
    certificates: [[UInt8]] = [], fingerprints: [SHA256Fingerprint] = [], legacyIntermediates: [[UInt8]] = [],
    legacyLeafFingerprints: [SHA256Fingerprint] = [], selfSignedFingerprints: [SHA256Fingerprint] = []
  ) {
    self.certificates = Set(certificates)
    self.fingerprints = Set(fingerprints)
    self.legacyIntermediates = Set(legacyIntermediates)
    self.legacyLeafFingerprints = Set(legacyLeafFingerprints)
    self.selfSignedFingerprints = Set(selfSignedFingerprints)
  }

  /// Returns the trust anchors of both sets.
  public func union(_ other: TrustAnchors) -> TrustAnchors {
    TrustAnchors(
      certificates: Array(certificates.union(other.certificates)),
      fingerprints: Array(fingerprints.union(other.fingerprints)),
      legacyIntermediates: Array(legacyIntermediates.union(other.legacyIntermediates)),
      legacyLeafFingerprints: Array(legacyLeafFingerprints.union(other.legacyLeafFingerprints)),
      selfSignedFingerprints: Array(selfSignedFingerprints.union(other.selfSignedFingerprints)))
  }

  /// Returns the trust anchors of both sets.
  public static func + (left: TrustAnchors, right: TrustAnchors) -> TrustAnchors { left.union(right) }
}
