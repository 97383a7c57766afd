import Foundation

/// A digest over a set of records that a record enters or leaves without the others being read: the XOR of their tags.
///
/// Tags are keyed, and the digest is kept under seal, so that nobody can look for a set with the same one.
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
