import CryptoExtras
import Foundation
import StoreModel

extension SignedDataVerifier {
  /// Verifies a legacy transaction receipt (`SKPaymentTransaction.transactionReceipt`, iOS 3 to 6).
  ///
  /// It contains only a leaf, which must be valid at the purchase date. The leaf must be one of the anchors'
  /// `legacyLeafFingerprints`, or be issued by one of their `legacyIntermediates`, with the marker extensions of its
  /// version. Version 2 is signed with RSA-1024 and SHA-1, which are weak. It is accepted only if the operator trusts
  /// its issuer.
  ///
  /// - Parameters:
  ///   - receipt: the property list, at most 1 MiB, not base64.
  ///   - expectation: the required app, environment and device. The environment is taken from the signed entries, see
  ///     ``LegacyReceipt/environment``.
  /// - Throws: ``VerificationFailure`` with the first fault.
  nonisolated(nonsending)
    public func verifyLegacyReceipt(
      _ receipt: Data, expecting expectation: Expectation = Expectation()
    ) async throws(VerificationFailure) -> Verified<LegacyReceipt>
  {
    let container = try Array(receipt).withBuffer { (bytes) throws(VerificationFailure) in
      try LegacyContainer(bytes)
    }
    let value = container.receipt
    let chain = try legacyChain(of: container)
    try chain.checkDate(value.purchaseDate)
    guard case .rsa(let key) = chain.leafKey,
      container.signedBytes.withUnsafeBufferPointer({ key.isValid(container.signature, of: $0, .sha1) })
    else {
      throw VerificationFailure(
        fault: .signature, detail: "the signature does not fit: the receipt was altered after it was signed")
    }
    try expectation.check(
      bundleID: value.bundleID, environment: value.environment, rawEnvironment: value.environment.rawValue,
      isIssued: value.isIssued(for:))
    return Verified(value: value, chain: chain, checkedDate: value.purchaseDate)
  }

  private func legacyChain(of container: LegacyContainer) throws(VerificationFailure) -> VerifiedChain {
    let leaf = container.leaf
    // Reads the key from the certificate's bytes, because the certificate library does not read the 1024-bit keys of
    // version 2.
    guard let key = try? _RSA.Signing.PublicKey(unsafeDERRepresentation: leaf.der[leaf.publicKeyInfo]),
      key.keySizeInBits == container.signature.count * 8
    else {
      throw VerificationFailure(
        fault: .chain, detail: "the certificate's key is not RSA of the size that its version of receipts has")
    }
    let fingerprint = SHA256Fingerprint(of: leaf.der)
    if anchors.legacyLeafFingerprints.contains(fingerprint) {
      return VerifiedChain(
        leafKey: .rsa(key), validity: leaf.validity, anchor: fingerprint, isSelfSigned: false)
    }
    guard let issuer = legacyIssuers.first(where: { $0.hasIssued(leaf) }) else {
      throw VerificationFailure(
        fault: .chain,
        detail: "its certificate (SHA-256 \(fingerprint)) is not issued by a trusted one. Legacy receipts carry no "
          + "intermediate: name the issuer's certificate among the trusted legacy intermediates")
    }
    let isMarked =
      container.version == 2
      ? issuer.outline.has(CertificateMarker.iTunesStore)
      : issuer.outline.has(CertificateMarker.developerRelations) && leaf.has(CertificateMarker.receiptSigning)
    guard isMarked else {
      throw VerificationFailure(
        fault: .marker, detail: "its certificate is not made for signing receipts of version \(container.version)")
    }
    let first = max(leaf.validity.lowerBound, issuer.validity.lowerBound)
    let last = min(leaf.validity.upperBound, issuer.validity.upperBound)
    guard first <= last else {
      throw VerificationFailure(fault: .date, detail: "its certificates were never valid all at once")
    }
    return VerifiedChain(leafKey: .rsa(key), validity: first...last, anchor: issuer.anchor, isSelfSigned: false)
  }
}

extension LegacyIssuer {
  /// Whether this certificate is the issuer of `leaf`, by name and signature.
  fileprivate func hasIssued(_ leaf: CertificateOutline) -> Bool {
    guard leaf.isIssued(byNameOf: outline) else { return false }
    let algorithm = leaf.der[leaf.signatureAlgorithm]
    guard let digest = ReceiptDigest.allCases.first(where: { algorithm.elementsEqual($0.signatureIdentifier.bytes) })
    else { return false }
    return leaf.der.withUnsafeBufferPointer {
      key.isValid(leaf.der[leaf.signature], of: UnsafeBufferPointer(rebasing: $0[leaf.toBeSigned]), digest)
    }
  }
}
