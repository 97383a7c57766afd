import Crypto
import CryptoExtras
import X509

/// A private key: P-256, P-384 or RSA.
enum IssuingKey: Sendable {
  case p256(P256.Signing.PrivateKey)
  case p384(P384.Signing.PrivateKey)
  case rsa(_RSA.Signing.PrivateKey)

  enum Kind: Sendable { case p256, p384, rsa2048 }

  static func generate(_ kind: Kind) throws -> IssuingKey {
    switch kind {
    case .p256: .p256(P256.Signing.PrivateKey())
    case .p384: .p384(P384.Signing.PrivateKey())
    case .rsa2048: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
    }
  }

  /// Reads a PKCS#8 key in PEM. Throws unless it is of the given kind.
  init(pem: String, kind: Kind) throws {
    switch kind {
    case .p256: self = .p256(try P256.Signing.PrivateKey(pemRepresentation: pem))
    case .p384: self = .p384(try P384.Signing.PrivateKey(pemRepresentation: pem))
    case .rsa2048: self = .rsa(try _RSA.Signing.PrivateKey(pemRepresentation: pem))
    }
  }

  /// The key as PKCS#8 in PEM.
  var pem: String {
    switch self {
    case .p256(let key): key.pemRepresentation
    case .p384(let key): key.pemRepresentation
    case .rsa(let key): key.pkcs8PEMRepresentation
    }
  }

  var certificateKey: Certificate.PrivateKey {
    switch self {
    case .p256(let key): Certificate.PrivateKey(key)
    case .p384(let key): Certificate.PrivateKey(key)
    case .rsa(let key): Certificate.PrivateKey(key)
    }
  }

  /// The algorithm with which this key signs certificates.
  var signatureAlgorithm: Certificate.SignatureAlgorithm {
    switch self {
    case .p256: .ecdsaWithSHA256
    case .p384: .ecdsaWithSHA384
    case .rsa: .sha256WithRSAEncryption
    }
  }
}
