import Crypto
import StoreModel

extension IssuingAuthority {
  /// The "In-App Purchase key" with which clients of the App Store Server API sign their tokens: a P-256 private key,
  /// PKCS#8 in PEM. It is stored like the other keys.
  public func apiKey() throws(IssuingError) -> String { try apiSigningKey().pemRepresentation + "\n" }

  /// The key's identifier, `kid` in a token: ten characters computed from the key.
  public func apiKeyID() throws(IssuingError) -> String {
    let digest = Array(SHA256.hash(data: try apiSigningKey().publicKey.x963Representation))
    let symbols = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
    return String(decoding: digest.prefix(10).map { symbols[Int($0 & 0x1F)] }, as: UTF8.self)
  }

  private func apiSigningKey() throws(IssuingError) -> P256.Signing.PrivateKey {
    guard case .p256(let key) = try apiIdentityKey() else { throw .signing(reason: "the key is not P-256") }
    return key
  }
}
