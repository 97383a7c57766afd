import Crypto
import Foundation
import SignedData

/// The SHA-256 of a content file, which identifies the file in a ``ContentStore``.
public struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
  /// The number of bytes of a digest.
  public static let byteCount = 32

  public let bytes: [UInt8]

  /// Returns nil unless there are ``byteCount`` bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Returns nil unless `text` is 64 lower-case hexadecimal digits, as in ``description``. So each digest has one spelling.
  public init?(_ text: String) {
    let digits = Array(text.utf8)
    guard !digits.contains(where: { (0x41...0x5A).contains($0) }), let bytes = Hexadecimal.bytes(of: digits) else {
      return nil
    }
    self.init(bytes: bytes)
  }

  /// Reads a file from its position to its end, in pieces.
  package init(reading file: FileHandle) throws {
    var hash = SHA256()
    while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty { hash.update(data: piece) }
    self.init(hash.finalize())
  }

  init(_ digest: SHA256.Digest) { bytes = Array(digest) }

  public var description: String { Hexadecimal.lowercaseText(of: bytes) }
}
