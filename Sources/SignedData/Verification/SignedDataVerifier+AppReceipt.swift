import Foundation
import StoreModel

extension SignedDataVerifier {
  /// Verifies an app receipt (Apple's "Validating receipts on the device"; CMS, RFC 5652).
  ///
  /// The chain is leaf, intermediate and root, all valid at the receipt's creation date. A single certificate is
  /// accepted only if it is trusted by itself, and then for Xcode's environment only.
  ///
  /// - Parameters:
  ///   - receipt: DER or BER, at most 64 MiB; base64 must have been decoded.
  ///   - expectation: the app, environment and device it must be for.
  /// - Throws: ``VerificationFailure``, naming the first fault.
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
    // Only now: anybody can copy a chain, put other certificates beside it, and so make any number of keys, but cannot sign.
    if let key { chains.insert(chain, for: key) }
    try chain.checkEnvironment(value.environment)
    try expectation.check(
      bundleID: value.bundleID, environment: value.environment, rawEnvironment: value.receiptType,
      isIssued: value.isIssued(for:))
    return Verified(value: value, anchor: chain.anchor, checkedDate: value.creationDate)
  }

  /// - Returns: the chain, and what to remember it by; nil where it is remembered already.
  private func chain(
    of container: ReceiptContainer, at date: StoreDate
  ) async throws(VerificationFailure) -> (VerifiedChain, key: [UInt8]?) {
    // Certificates know their own length, so that their bytes one after the other say which they are; the signer's
    // come first.
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
    }
    return (chain, key)
  }
}
