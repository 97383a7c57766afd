import Foundation

/// How many requests are under way.
final class RequestPresence: @unchecked Sendable {
  private let lock = NSLock()
  private let most: Int
  private var present = 0

  init(most: Int) { self.most = most }

  /// False if there are too many.
  func enter() -> Bool {
    lock.withLock {
      guard present < most else { return false }
      present += 1
      return true
    }
  }

  func leave() { lock.withLock { present -= 1 } }

  var count: Int { lock.withLock { present } }
}
