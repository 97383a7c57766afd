import Crypto
import Foundation
import StoreModel

/// A secret key that signs download links. All servers of a ledger use the same keys.
public struct DownloadLinkKey: Sendable, CustomStringConvertible {
  /// The minimum length of a key: the length of the signature's hash. A shorter key is easier to guess than
  /// the signature.
  public static let shortestByteCount = 32

  let key: SymmetricKey

  /// - Throws: ``DownloadLinkKeyError/tooShort(byteCount:)``.
  public init(bytes: [UInt8]) throws(DownloadLinkKeyError) {
    guard bytes.count >= Self.shortestByteCount else { throw .tooShort(byteCount: bytes.count) }
    key = SymmetricKey(data: bytes)
  }

  /// - Parameter base64: The key in base64, as `openssl rand -base64 32` prints it.
  /// - Throws: ``DownloadLinkKeyError``.
  public init(base64: String) throws(DownloadLinkKeyError) {
    let text = base64.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let data = Data(base64Encoded: text) else { throw .notBase64 }
    try self.init(bytes: Array(data))
  }

  /// Only the key's length, so that logs do not reveal the key.
  public var description: String { "a key of \(key.bitCount / 8) bytes" }
}

/// Thrown when a text is not a key for download links.
public enum DownloadLinkKeyError: DescribedError, Hashable, Sendable {
  case tooShort(byteCount: Int)
  case notBase64

  public var description: String {
    switch self {
    case .tooShort(let count):
      """
      A key for download links has at least \(DownloadLinkKey.shortestByteCount) bytes; this one has \(count). \
      Make one with: openssl rand -base64 32
      """
    case .notBase64:
      "A key for download links is written in base64. Make one with: openssl rand -base64 32"
    }
  }
}
