import Crypto
import Foundation

/// The serial numbers of the certificates of one issuer. The issuer recognises its numbers without storing them, also those of
/// certificates that an earlier run, or another process with the same keys, has made.
///
/// A number has 16 bytes: 8 that follow from what the certificate says, and the first 8 of their HMAC with a key that follows
/// from the issuer's private key. So the same certificate has the same number in each run, and others have another.
struct SerialNumbers: Sendable {
  private let key: SymmetricKey

  init(_ issuer: IssuingKey) {
    key = SymmetricKey(data: SHA256.hash(data: Data("serial numbers\n\(issuer.pem)".utf8)))
  }

  /// Returns the number of a certificate. Its first bits make it positive and always of the same length.
  ///
  /// - Parameter content: what distinguishes the certificate from the issuer's others.
  func number(of content: String) -> [UInt8] {
    var bytes = tag(Array(content.utf8))
    bytes[0] = bytes[0] & 0x3F | 0x40
    return bytes + tag(bytes)
  }

  /// Whether `number` is one of this issuer's.
  func contains(_ number: [UInt8]) -> Bool {
    number.count == 16 && Array(number.dropFirst(8)) == tag(Array(number.prefix(8)))
  }

  private func tag(_ bytes: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key).prefix(8))
  }
}
