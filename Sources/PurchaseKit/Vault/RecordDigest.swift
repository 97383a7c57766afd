import Foundation

/// A digest of a set of records: the XOR of their tags. A record can be added or removed without reading the others.
///
/// Tags are keyed, and the digest is stored encrypted. So an attacker cannot search for another set with the same digest.
struct RecordDigest: Hashable, Codable, Sendable {
  private(set) var count = 0
  private var bytes = Data(count: 32)

  mutating func add(_ tag: Data) {
    count += 1
    mix(tag)
  }

  mutating func remove(_ tag: Data) {
    count -= 1
    mix(tag)
  }

  private mutating func mix(_ tag: Data) {
    for (place, byte) in tag.enumerated() { bytes[place] ^= byte }
  }
}
