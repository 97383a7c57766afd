import Crypto
import StoreModel

extension IssuingAuthority {
  /// Signs a payload like the App Store: ES256, with leaf, intermediate and root in `x5c` (RFC 7515, section 7.1).
  ///
  /// - Parameters:
  ///   - payload: the bytes to sign. The App Store signs JSON only.
  ///   - date: decides which leaf signs. It should be the payload's `signedDate` (or `receiptCreationDate`), at which
  ///     verifiers check the certificates.
  ///   - chain: the certificates.
  /// - Throws: ``IssuingError``, in particular for a date outside 2014 to 2063.
  public func signJWS(
    payload: [UInt8], at date: StoreDate, chain: SigningChain = .valid
  ) throws(IssuingError) -> String {
    let signer = try jwsSigner(at: date, chain)
    guard case .p256(let key) = signer.leaf.key else { throw .signing(reason: "the leaf's key is not P-256") }
    var text = signer.header
    text.append(UInt8(ascii: "."))
    text.append(contentsOf: Base64.encode(payload, .url))
    do {
      let signature = try key.signature(for: chain.signed(text))
      text.append(UInt8(ascii: "."))
      text.append(contentsOf: Base64.encode(signature.rawRepresentation, .url))
    } catch {
      throw .signing(reason: "\(error)")
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Signs a transaction, at its ``SignedTransaction/signedDate``.
  ///
  /// - Throws: ``IssuingError``, in particular for a date outside 2014 to 2063.
  public func signTransaction(
    _ transaction: SignedTransaction, chain: SigningChain = .valid
  ) throws(IssuingError) -> String {
    try signJWS(payload: transaction.payloadBytes(), at: transaction.signedDate, chain: chain)
  }
}
