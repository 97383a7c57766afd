/// What is trusted: the certificates, or the fingerprints of certificates, that signed data must lead back to.
///
/// Nothing is trusted that is not named here; the machine's own certificate store is never asked.
public struct TrustAnchors: Hashable, Sendable {
  /// Root certificates in DER. The data need not carry them, and what it carries in their place is ignored.
  public let certificates: Set<[UInt8]>
  /// Fingerprints of root certificates that the data carries.
  public let fingerprints: Set<SHA256Fingerprint>
  /// Certificates in DER that issue the leaves of legacy receipts, which carry nothing but the leaf. Naming one here
  /// is trusting it, whether or not it leads to one of `certificates`.
  public let legacyIntermediates: Set<[UInt8]>
  /// Fingerprints of the leaves that legacy receipts carry.
  public let legacyLeafFingerprints: Set<SHA256Fingerprint>
  /// Fingerprints of self-signed certificates that sign data directly, as those of Xcode's StoreKit testing do.
  /// They vouch for the environment ``StoreEnvironment/xcode`` only.
  public let selfSignedFingerprints: Set<SHA256Fingerprint>

  /// Names what is trusted. Order and repetition do not matter.
  ///
  /// - Parameters:
  ///   - certificates: root certificates, DER.
  ///   - fingerprints: of root certificates that the data carries.
  ///   - legacyIntermediates: issuers of the leaves of legacy receipts, DER.
  ///   - legacyLeafFingerprints: of the leaves of legacy receipts.
  ///   - selfSignedFingerprints: of certificates that sign data for Xcode's environment directly.
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

  /// All that either trusts.
  public func union(_ other: TrustAnchors) -> TrustAnchors {
    TrustAnchors(
      certificates: Array(certificates.union(other.certificates)),
      fingerprints: Array(fingerprints.union(other.fingerprints)),
      legacyIntermediates: Array(legacyIntermediates.union(other.legacyIntermediates)),
      legacyLeafFingerprints: Array(legacyLeafFingerprints.union(other.legacyLeafFingerprints)),
      selfSignedFingerprints: Array(selfSignedFingerprints.union(other.selfSignedFingerprints)))
  }

  /// All that either trusts.
  public static func + (left: TrustAnchors, right: TrustAnchors) -> TrustAnchors { left.union(right) }
}
