import Crypto
import Foundation
import SignedData

/// The SHA-256 of a file's content, which identifies the file in the library.
public struct FileDigest: Hashable, Codable, Sendable, CustomStringConvertible {
  /// 64 lower-case hexadecimal digits, which can be used as a file name.
  public let description: String

  /// Nil unless `text` is 64 lower-case hexadecimal digits.
  public init?(_ text: String) {
    guard text.utf8.count == 64,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    description = text
  }

  init(_ digest: SHA256.Digest) { description = Hexadecimal.lowercaseText(of: Array(digest)) }

  /// Computes the digest of `data`.
  public init(of data: Data) { self.init(SHA256.hash(data: data)) }

  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let digest = FileDigest(text) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "\(text) is no SHA-256"))
    }
    self = digest
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
