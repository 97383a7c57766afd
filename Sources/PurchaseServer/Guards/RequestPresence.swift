import StoreModel

/// Counts the requests in progress, and limits their number.
final class RequestPresence: Sendable {
  private let most: Int
  private let present = LockedValue(0)

  init(most: Int) { self.most = most }

  /// Counts a request.
  ///
  /// - Returns: false if there are too many already.
  func enter() -> Bool {
    present.withLock { present in
      guard present < most else { return false }
      present += 1
      return true
    }
  }

  func leave() { present.withLock { $0 -= 1 } }

  var count: Int { present.value }
}
