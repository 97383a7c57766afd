import Foundation
import StoreModel

/// Limits the total size of the request bodies that a server holds in memory at the same time.
package final class BodyBudget: Sendable {
  /// Bodies up to this size are always admitted, so that large requests never block small ones.
  package static let smallBodyBytes = 16 << 10

  private struct State: Sendable {
    let limitBytes: Int
    let senderBytes: Int
    var held = 0
    var heldBySender: [String: Int] = [:]

    func fits(_ count: Int, of sender: String?) -> Bool {
      guard held + count <= limitBytes else { return false }
      guard let sender else { return true }
      return heldBySender[sender, default: 0] + count <= senderBytes
    }
  }

  private let state: LockedValue<State>

  let clock: any MachineClock

  /// - Parameter limitBytes: the limit for all senders together. One sender may hold a quarter of it, or the size of
  ///   ``BodyLimit/receipt`` if that is more.
  package init(
    limitBytes: Int,
    clock: any MachineClock = SystemClock()
  ) {
    state = LockedValue(State(limitBytes: limitBytes, senderBytes: max(limitBytes / 4, BodyLimit.receipt)))
    self.clock = clock
  }

  /// The size of the bodies that are held now, in bytes.
  package var heldBytes: Int { state.withLock { $0.held } }

  func hasCapacity(for total: Int, of sender: String?) -> Bool {
    state.withLock { total <= Self.smallBodyBytes || $0.fits(total, of: sender) }
  }

  /// Reserves `count` more bytes for a body that then has `total` bytes. Returns false, and reserves nothing, if the
  /// limit is reached.
  func hold(_ count: Int, of total: Int, by sender: String?) -> Bool {
    state.withLock { state in
      guard total <= Self.smallBodyBytes || state.fits(count, of: sender) else { return false }
      state.held += count
      if let sender { state.heldBySender[sender, default: 0] += count }
      return true
    }
  }

  func release(_ count: Int, by sender: String?) {
    state.withLock { state in
      state.held -= count
      guard let sender, let before = state.heldBySender[sender] else { return }
      state.heldBySender[sender] = before == count ? nil : before - count
    }
  }
}
