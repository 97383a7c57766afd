import Foundation
import PurchaseKit

/// A key store whose next save can be held or made to fail.
final class HeldKeys: VaultKeyStore, @unchecked Sendable {
  struct Full: Error {}

  private enum Fate { case held, failed }

  private let base = MemoryVaultKeyStore()
  private let lock = NSLock()
  private let gate = DispatchSemaphore(value: 0)
  private let arrivals = AsyncStream.makeStream(of: Void.self)
  private var next: Fate?
  private var begun = 0
  private var underWay = 0
  private var overlapping = 0

  /// The number of saves that began.
  var saves: Int { lock.withLock { begun } }
  /// The number of saves that began while another one was running.
  var overlaps: Int { lock.withLock { overlapping } }

  func holdsNext() { lock.withLock { next = .held } }
  func failsNext() { lock.withLock { next = .failed } }
  /// Returns when a save is held.
  func holding() async { _ = await arrivals.stream.first { _ in true } }
  func release() { gate.signal() }

  func load(_ name: String) -> Data? { base.load(name) }

  func save(_ value: Data, as name: String) throws {
    let fate = lock.withLock {
      begun += 1
      if underWay > 0 { overlapping += 1 }
      underWay += 1
      defer { next = nil }
      return next
    }
    defer { lock.withLock { underWay -= 1 } }
    if fate == .failed { throw Full() }
    if fate == .held {
      arrivals.continuation.yield()
      gate.wait()
    }
    base.save(value, as: name)
  }

  func remove(_ name: String) { base.remove(name) }
}
