import Foundation
import StoreModel

/// The head of a vault's file, which is stored encrypted and authenticated.
struct VaultHead: Hashable, Codable, Sendable {
  var version = 1
  /// The number of commits.
  var generation: Int64 = 0
  var highestTime = StoreDate(millisecondsSince1970: .min)
  var entitlements = RecordDigest()
  var credits = RecordDigest()
  var entitlementsNeedRebuilding = false
  var books: VaultCredits

  subscript(compartment: VaultCompartment) -> RecordDigest {
    get { compartment == .entitlements ? entitlements : credits }
    set { if compartment == .entitlements { entitlements = newValue } else { credits = newValue } }
  }
}

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
