import Foundation
import PurchaseKit
import StoreModel

/// A key store whose next save can be held or made to fail.
final class HeldKeys: VaultKeyStore {
  struct Full: Error {}

  private enum Fate { case held, failed }

  private let base = MemoryVaultKeyStore()
  private struct State: Sendable {
    var next: Fate?
    var begun = 0
    var underWay = 0
    var overlapping = 0
  }

  private let state = LockedValue(State())
  private let gate = DispatchSemaphore(value: 0)
  private let arrivals = AsyncStream.makeStream(of: Void.self)

  /// The number of saves that began.
  var saves: Int { state.withLock { $0.begun } }
  /// The number of saves that began while another one was running.
  var overlaps: Int { state.withLock { $0.overlapping } }

  func holdsNext() { state.withLock { $0.next = .held } }
  func failsNext() { state.withLock { $0.next = .failed } }
  /// Returns when a save is held.
  func holding() async { _ = await arrivals.stream.first { _ in true } }
  func release() { gate.signal() }

  func load(_ name: String) -> Data? { base.load(name) }

  func save(_ value: Data, as name: String) throws {
    let fate = state.withLock { state in
      state.begun += 1
      if state.underWay > 0 { state.overlapping += 1 }
      state.underWay += 1
      defer { state.next = nil }
      return state.next
    }
    defer { state.withLock { $0.underWay -= 1 } }
    if fate == .failed { throw Full() }
    if fate == .held {
      arrivals.continuation.yield()
      gate.wait()
    }
    base.save(value, as: name)
  }

  func remove(_ name: String) { base.remove(name) }
}
