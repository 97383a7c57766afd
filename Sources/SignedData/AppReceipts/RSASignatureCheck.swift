import Crypto
import CryptoExtras

extension _RSA.Signing.PublicKey {
  /// Whether `signature` is a PKCS #1 v1.5 signature of `bytes` (RFC 8017, section 8.2).
  func isValid(
    _ signature: some Collection<UInt8>, of bytes: UnsafeBufferPointer<UInt8>, _ digest: ReceiptDigest
  ) -> Bool {
    let signature = _RSA.Signing.RSASignature(rawRepresentation: Array(signature))
    return switch digest {
    case .sha1: isValidSignature(signature, for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5)
    case .sha256: isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
    }
  }
}

extension _RSA.Signing.PrivateKey {
  /// The PKCS #1 v1.5 signature of `bytes`.
  func signature(of bytes: [UInt8], _ digest: ReceiptDigest) throws -> [UInt8] {
    let signature =
      switch digest {
      case .sha1: try signature(for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5)
      case .sha256: try signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
      }
    return Array(signature.rawRepresentation)
  }
}
