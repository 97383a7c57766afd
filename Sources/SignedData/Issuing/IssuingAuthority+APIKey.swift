import Crypto
import StoreModel

extension IssuingAuthority {
  /// The "In-App Purchase key" with which clients of the App Store Server API sign their tokens: a P-256 private key,
  /// PKCS#8 in PEM. It is stored like the other keys.
  public func apiKey() throws(IssuingError) -> String { try apiSigningKey().pemRepresentation + "\n" }

  /// The key's identifier, `kid` in a token: ten characters computed from the key.
  public func apiKeyID() throws(IssuingError) -> String { Self.apiKeyID(of: try apiPublicKey()) }

  /// The public part of the key, which verifies tokens.
  package func apiPublicKey() throws(IssuingError) -> P256.Signing.PublicKey { try apiSigningKey().publicKey }

  /// The identifier of a key: ten characters computed from it.
  package static func apiKeyID(of key: P256.Signing.PublicKey) -> String {
    let digest = Array(SHA256.hash(data: key.x963Representation))
    let symbols = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789".utf8)
    return String(decoding: digest.prefix(10).map { symbols[Int($0 & 0x1F)] }, as: UTF8.self)
  }

  private func apiSigningKey() throws(IssuingError) -> P256.Signing.PrivateKey {
    guard case .p256(let key) = try apiIdentityKey() else { throw .signing(reason: "the key is not P-256") }
    return key
  }
}
