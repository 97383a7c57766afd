import Foundation

/// How many bytes of requests' bodies a server holds at a time, over all requests.
package final class BodyBudget: @unchecked Sendable {
  /// Bodies up to this size are always admitted, so that large requests never block small ones.
  package static let smallBodyBytes = 16 << 10

  private let lock = NSLock()
  private let limitBytes: Int
  private let senderBytes: Int
  private var held = 0
  private var heldBySender: [String: Int] = [:]

  /// A clock that never goes back, in nanoseconds.
  let nanoseconds: @Sendable () -> Int64

  /// One sender is admitted a quarter of `limitBytes`, or one body of the largest kind if that is more.
  package init(
    limitBytes: Int,
    nanoseconds: @escaping @Sendable () -> Int64 = { Int64(DispatchTime.now().uptimeNanoseconds) }
  ) {
    self.limitBytes = limitBytes
    senderBytes = max(limitBytes / 4, BodyLimit.receipt)
    self.nanoseconds = nanoseconds
  }

  /// In bytes.
  package var heldBytes: Int { lock.withLock { held } }

  func hasRoom(for total: Int, of sender: String?) -> Bool {
    lock.withLock { total <= Self.smallBodyBytes || fits(total, of: sender) }
  }

  /// Holds `count` more bytes of a body that has `total` with them. False where the budget is used up; nothing is held then.
  func hold(_ count: Int, of total: Int, by sender: String?) -> Bool {
    lock.withLock {
      guard total <= Self.smallBodyBytes || fits(count, of: sender) else { return false }
      held += count
      if let sender { heldBySender[sender, default: 0] += count }
      return true
    }
  }

  func release(_ count: Int, by sender: String?) {
    lock.withLock {
      held -= count
      guard let sender, let before = heldBySender[sender] else { return }
      heldBySender[sender] = before == count ? nil : before - count
    }
  }

  private func fits(_ count: Int, of sender: String?) -> Bool {
    guard held + count <= limitBytes else { return false }
    guard let sender else { return true }
    return heldBySender[sender, default: 0] + count <= senderBytes
  }
}
