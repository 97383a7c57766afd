import Foundation
import StoreModel

extension IssuingAuthority {
  /// Signs an app receipt like the App Store: CMS SignedData (RFC 5652) in DER with three certificates and no signed
  /// attributes.
  ///
  /// - Parameters:
  ///   - receipt: the contents of the receipt.
  ///   - date: decides which leaf signs. It should be the receipt's creation date, at which verifiers check the
  ///     certificates.
  ///   - digest: the hash algorithm. SHA-1 is only for imitating receipts issued until 2023.
  ///   - chain: the certificates.
  /// - Throws: ``IssuingError``, in particular for a date outside 2014 to 2063.
  public func signAppReceipt(
    _ receipt: AppReceipt, at date: StoreDate, digest: ReceiptDigest = .sha256, chain: SigningChain = .valid
  ) throws(IssuingError) -> Data {
    let signer = try receiptSigner(at: date, chain)
    let payload = receipt.payloadBytes()
    let signature: [UInt8]
    do {
      guard case .rsa(let key) = signer.leaf.key else {
        throw IssuingError.signing(reason: "the leaf's key is not RSA")
      }
      signature = try key.signature(of: chain.signed(payload), digest)
    } catch {
      throw .signing(reason: "\(error)")
    }
    let null: [UInt8] = [0x05, 0x00]
    let digestAlgorithm = DERWriter.sequence([DERWriter.identifier(digest.identifier), null])
    let leaf = signer.leaf.outline
    let signerInfo = DERWriter.sequence([
      DERWriter.integer(1),
      DERWriter.sequence([
        Array(leaf.der[leaf.issuer]), DERWriter.element(TLVElement.integer, leaf.der[leaf.serialNumber]),
      ]),
      digestAlgorithm,
      DERWriter.sequence([DERWriter.identifier(.rsaEncryption), null]),
      DERWriter.octetString(signature),
    ])
    let content = DERWriter.sequence([
      DERWriter.identifier(.data), DERWriter.element(TLVElement.context(0), DERWriter.octetString(payload)),
    ])
    let signedData = DERWriter.sequence([
      DERWriter.integer(1),
      DERWriter.setOf([digestAlgorithm]),
      content,
      // The certificates have the order of the chain, as in the App Store's receipts, not the order of a DER SET.
      DERWriter.element(TLVElement.context(0), Array(signer.chain.map(\.der).joined())),
      DERWriter.setOf([signerInfo]),
    ])
    return Data(
      DERWriter.sequence([
        DERWriter.identifier(.signedData), DERWriter.element(TLVElement.context(0), signedData),
      ]))
  }
}
