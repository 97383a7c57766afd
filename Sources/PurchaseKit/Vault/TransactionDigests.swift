import Crypto
import Foundation

/// A set of transaction identifiers. It contains the first eight bytes of the SHA-256 of each, in the order in which they
/// were added, so that a key item can remember thousands.
struct TransactionDigests: Hashable, Codable, Sendable {
  /// The number of transactions to keep: 32 KiB. The newest are kept.
  static let limit = 4_096
  private static let length = 8

  private var digests: [UInt64] = []

  init() {}

  /// Adds identifiers as the newest ones.
  mutating func insert(_ transactionIdentifiers: [String]) { insert(transactionIdentifiers.map(Self.digest)) }

  /// Adds the identifiers of another set as the newest ones.
  mutating func insert(_ others: TransactionDigests) { insert(others.digests) }

  private mutating func insert(_ new: [UInt64]) {
    let added = Set(new)
    digests.removeAll(where: added.contains)
    digests.append(contentsOf: new)
    digests.removeFirst(max(0, digests.count - Self.limit))
  }

  func contains(_ transactionIdentifier: String) -> Bool { digests.contains(Self.digest(transactionIdentifier)) }

  private static func digest(_ transactionIdentifier: String) -> UInt64 {
    SHA256.hash(data: Data(transactionIdentifier.utf8)).prefix(length).reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Codable

  init(from decoder: any Decoder) throws {
    let bytes = Array(try decoder.singleValueContainer().decode(Data.self))
    digests = stride(from: 0, to: bytes.count - Self.length + 1, by: Self.length).map { start in
      bytes[start..<start + Self.length].reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  func encode(to encoder: any Encoder) throws {
    var bytes = Data(capacity: digests.count * Self.length)
    for digest in digests { withUnsafeBytes(of: digest.bigEndian) { bytes.append(contentsOf: $0) } }
    var container = encoder.singleValueContainer()
    try container.encode(bytes)
  }
}
