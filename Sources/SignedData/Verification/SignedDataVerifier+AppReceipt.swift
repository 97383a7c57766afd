import Foundation
import StoreModel

extension SignedDataVerifier {
  /// Verifies an app receipt (Apple's "Validating receipts on the device"; CMS, RFC 5652).
  ///
  /// The chain is leaf, intermediate and root, all valid at the receipt's creation date. A single certificate is
  /// accepted only if it is itself trusted, and for Xcode's environment only.
  ///
  /// - Parameters:
  ///   - receipt: DER or BER, at most 64 MiB, not base64.
  ///   - expectation: the required app, environment and device.
  /// - Throws: ``VerificationFailure`` with the first fault.
  nonisolated(nonsending)
    public func verifyAppReceipt(
      _ receipt: Data, expecting expectation: Expectation = Expectation()
    ) async throws(VerificationFailure) -> Verified<AppReceipt>
  {
    let container = try Array(receipt).withBuffer { (bytes) throws(VerificationFailure) in
      try ReceiptContainer(bytes)
    }
    let value = try AppReceipt(payload: container.content)
    guard container.digest != .sha1 || value.creationDate < ReceiptDigest.endOfSHA1 else {
      throw VerificationFailure(
        fault: .signature,
        detail: "it is signed with SHA-1 and says it was made on \(value.creationDate); the App Store signs with "
          + "SHA-256 since August 2023. Have the app refresh its receipt")
    }
    let (chain, key) = try await chain(of: container, at: value.creationDate)
    guard case .rsa(let publicKey) = chain.leafKey else {
      throw VerificationFailure(fault: .chain, detail: "the signer's key is not RSA, as receipts demand")
    }
    let isGenuine = container.content.withUnsafeBufferPointer {
      publicKey.isValid(container.signature, of: $0, container.digest)
    }
    guard isGenuine else {
      throw VerificationFailure(
        fault: .signature, detail: "the signature does not fit: the receipt was altered after it was signed")
    }
    // The chain is cached only after the signature was checked. Otherwise an attacker could fill the cache with copies
    // of a genuine chain, each together with different additional certificates.
    if let key { chains.insert(chain, for: key) }
    try chain.checkEnvironment(value.environment)
    try expectation.check(
      bundleID: value.bundleID, environment: value.environment, rawEnvironment: value.receiptType,
      isIssued: value.isIssued(for:))
    return Verified(value: value, chain: chain, checkedDate: value.creationDate)
  }

  /// Verifies the chain, unless it is cached. Returns the chain and its key for the cache; the key is nil if the chain
  /// is already cached.
  private func chain(
    of container: ReceiptContainer, at date: StoreDate
  ) async throws(VerificationFailure) -> (VerifiedChain, key: [UInt8]?) {
    // The key is the signer's certificate, then all certificates. DER contains lengths, so the joined bytes identify
    // the certificates.
    var key = container.certificates[container.signer].der
    for certificate in container.certificates { key.append(contentsOf: certificate.der) }
    if let known = key.withUnsafeBufferPointer({ chains.chain(for: $0) }), known.validity.contains(date) {
      return (known, nil)
    }
    let leaf = container.certificates[container.signer]
    let chain: VerifiedChain
    if container.certificates.count == 1, leaf.isIssued(byNameOf: leaf) {
      chain = try chainVerifier.verifySelfSigned(leaf, at: date)
    } else {
      let others = container.certificates.indices.filter { $0 != container.signer }.map { container.certificates[$0] }
      chain = try await chainVerifier.verify(
        leaf: leaf, intermediates: others, carried: others.map(\.der), at: date)
      guard chain.contains(others) else {
        throw VerificationFailure(
          fault: .chain, detail: "it has a certificate that is not part of its chain, or was altered")
      }
    }
    return (chain, key)
  }
}
