import SignedData

/// What a verification trusts, and the names of it.
struct ReceiptTrust {
  let anchors: TrustAnchors
  /// What the caller should know about this trust.
  let warnings: [String]
  private let known: [CertificateSummary]

  /// Trusts Apple, and what was named on the command line.
  ///
  /// - Parameters:
  ///   - roots: root certificates, DER; they count as issuers of legacy receipts as well, which carry none.
  ///   - trustsXcode: trusts the certificate of `contents` itself, if it is the only one and names itself as issuer.
  ///   - contents: what is to be verified.
  init(roots: [[UInt8]], trustsXcode: Bool, contents: ReceiptContents) {
    let carried = contents.certificates
    known = (roots + carried).compactMap(CertificateSummary.init)
    var own: [SHA256Fingerprint] = []
    var warnings: [String] = []
    if trustsXcode {
      let only = carried.count == 1 ? CertificateSummary(carried[0]) : nil
      if let only, only.isSelfIssued, contents.kind != .legacyReceipt {
        own = [only.fingerprint]
        warnings.append(
          "--trust-xcode: the certificate that the data itself carries is trusted. Anyone can make such a "
            + "certificate, so this proves nothing about who signed")
      } else {
        warnings.append("--trust-xcode has no effect: the data does not carry one self-signed certificate")
      }
    }
    self.warnings = warnings
    anchors =
      TrustAnchors.apple
      + TrustAnchors(certificates: roots, legacyIntermediates: roots, selfSignedFingerprints: own)
  }

  /// The name of an anchor, from the certificate that bears the fingerprint.
  func name(of anchor: SHA256Fingerprint) -> String {
    if anchor == TrustAnchors.appleRootCA { return "Apple Root CA" }
    if anchor == TrustAnchors.appleRootCAG3 { return "Apple Root CA - G3" }
    return known.first { $0.fingerprint == anchor }?.name ?? "a trusted certificate"
  }

  /// Whether an anchor signed the data itself, with no chain between.
  func isSigner(_ anchor: SHA256Fingerprint) -> Bool {
    isSelfSigned(anchor) || anchors.legacyLeafFingerprints.contains(anchor)
  }

  func isSelfSigned(_ anchor: SHA256Fingerprint) -> Bool { anchors.selfSignedFingerprints.contains(anchor) }
}
