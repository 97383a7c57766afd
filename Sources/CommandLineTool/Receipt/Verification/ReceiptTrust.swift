import SignedData

/// The certificates that a verification trusts, and their names.
struct ReceiptTrust {
  let anchors: TrustAnchors
  /// Warnings about this trust, for the user.
  let warnings: [String]
  private let known: [CertificateSummary]

  /// Trusts Apple's roots and the certificates named on the command line.
  ///
  /// - Parameters:
  ///   - roots: root certificates in DER. They are also used as issuers of legacy receipts, which do not contain their
  ///     issuer.
  ///   - trustsXcode: also trusts the certificate of `contents`, if it is the only one and self-issued.
  ///   - contents: the contents to verify.
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

  /// Returns the name of an anchor, from the certificate with that fingerprint.
  func name(of anchor: SHA256Fingerprint) -> String {
    if anchor == TrustAnchors.appleRootCA { return "Apple Root CA" }
    if anchor == TrustAnchors.appleRootCAG3 { return "Apple Root CA - G3" }
    return known.first { $0.fingerprint == anchor }?.name ?? "a trusted certificate"
  }

  /// Whether the anchor signed the data itself, without a chain between them.
  func isSigner(_ anchor: SHA256Fingerprint) -> Bool {
    isSelfSigned(anchor) || anchors.legacyLeafFingerprints.contains(anchor)
  }

  func isSelfSigned(_ anchor: SHA256Fingerprint) -> Bool { anchors.selfSignedFingerprints.contains(anchor) }
}
