import Crypto
import Foundation

/// The SHA-256 digest of a certificate's DER bytes. It identifies exactly one certificate.
public struct SHA256Fingerprint: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The digest, 32 bytes.
  public let bytes: [UInt8]

  /// The fingerprint of a certificate.
  ///
  /// - Parameter der: the certificate in DER. The bytes are hashed without checks.
  public init(of der: some DataProtocol) {
    bytes = Array(SHA256.hash(data: der))
  }

  /// - Parameter digest: a computed digest of 32 bytes.
  init(digest: [UInt8]) {
    precondition(digest.count == 32, "a SHA-256 fingerprint has 32 bytes")
    bytes = digest
  }

  /// Parses 64 hexadecimal digits of either case. Ignores all colons and spaces. Returns nil for any other text.
  public init?(hex: String) {
    let digits = hex.utf8.filter { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: " ") }
    guard digits.count == 64, let bytes = Hexadecimal.bytes(of: digits) else { return nil }
    self.bytes = bytes
  }

  /// 64 upper-case hexadecimal digits.
  public var description: String { Hexadecimal.text(of: bytes) }

  /// Decodes the text of ``description``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let fingerprint = SHA256Fingerprint(hex: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a SHA-256 fingerprint is 64 hexadecimal digits, not \(text.prefix(80))")
    }
    self = fingerprint
  }

  /// Encodes ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
