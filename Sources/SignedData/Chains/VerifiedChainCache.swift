import Foundation
import StoreModel

/// Caches the recently verified chains. The key of a chain is the exact bytes from which it was read: the header of a
/// JWS, or the certificates of a receipt.
///
/// Only verified chains are stored, so that an attacker cannot displace them. A lookup compares only keys of the
/// same length, the most recently used first; this is usually one comparison.
final class VerifiedChainCache: Sendable {
  private struct Entry: Sendable {
    let key: [UInt8]
    let chain: VerifiedChain
  }

  private let capacity: Int
  /// The cached chains, the most recently used first.
  private let entries = LockedValue<[Entry]>([])

  init(capacity: Int = 64) { self.capacity = capacity }

  var count: Int { entries.withLock { $0.count } }

  func chain(for key: UnsafeBufferPointer<UInt8>) -> VerifiedChain? {
    entries.withLock { entries in
      for index in entries.indices where entries[index].key.count == key.count {
        guard entries[index].key.withUnsafeBufferPointer({ Self.equal($0, key) }) else { continue }
        if index > 0 { entries.insert(entries.remove(at: index), at: 0) }
        return entries[0].chain
      }
      return nil
    }
  }

  func insert(_ chain: VerifiedChain, for key: [UInt8]) {
    entries.withLock { entries in
      entries.removeAll { $0.key == key }
      entries.insert(Entry(key: key, chain: chain), at: 0)
      if entries.count > capacity { entries.removeLast() }
    }
  }

  private static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let a = left.baseAddress, let b = right.baseAddress else { return left.isEmpty && right.isEmpty }
    return memcmp(a, b, left.count) == 0
  }
}
