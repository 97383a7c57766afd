import Foundation

/// Those who wait for one and the same thing, each with a patience of their own. It goes on as long as one of them has any.
final class Waiters: @unchecked Sendable {
  private struct Waiter {
    var limit: PatienceLimit
    /// Nil for one who is not told.
    let continuation: CheckedContinuation<Void, any Error>?
  }

  private let lock = NSLock()
  private var waiters: [Waiter] = []
  private var isShut = false

  /// How many wait at this moment.
  var count: Int { lock.withLock { waiters.count } }

  /// - Parameter continuation: told how it ended, or that there was enough of failing; nil for one who looks elsewhere.
  /// - Returns: false if it is about to end, and nobody can join any more.
  func join(attempts: Int?, _ continuation: CheckedContinuation<Void, any Error>? = nil) -> Bool {
    lock.withLock {
      guard !isShut else { return false }
      waiters.append(Waiter(limit: PatienceLimit(attempts: attempts), continuation: continuation))
      return true
    }
  }

  /// Something has worked.
  func succeeded() {
    lock.withLock { for index in waiters.indices { waiters[index].limit.succeeded() } }
  }

  /// Something has failed. Those who have enough of it are told; where all have, it ends, and ``end(_:)`` tells them.
  ///
  /// - Returns: whether to go on.
  func failed(_ error: any Error, retryAfterSeconds: Int?) -> Bool {
    let leaving: [Waiter]? = lock.withLock {
      var (staying, leaving): ([Waiter], [Waiter]) = ([], [])
      for var waiter in waiters {
        if waiter.limit.failed(retryAfterSeconds: retryAfterSeconds) {
          leaving.append(waiter)
        } else {
          staying.append(waiter)
        }
      }
      if staying.isEmpty {
        isShut = true
        return nil
      }
      waiters = staying
      return leaving
    }
    for waiter in leaving ?? [] { waiter.continuation?.resume(throwing: error) }
    return leaving != nil
  }

  /// Nobody joins any more.
  func shut() { lock.withLock { isShut = true } }

  /// Tells all who wait how it ended.
  func end(_ result: Result<Void, any Error>) {
    let all = lock.withLock {
      isShut = true
      defer { waiters = [] }
      return waiters
    }
    for waiter in all { waiter.continuation?.resume(with: result) }
  }
}
