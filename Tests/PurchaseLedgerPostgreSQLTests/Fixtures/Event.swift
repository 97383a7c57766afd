import Foundation

/// An event that happens once. A thread inside a transaction, or a test, can wait for it.
final class Event: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOver = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  var hasHappened: Bool { condition.withLock { isOver } }

  func happen() {
    let waiters = condition.withLock {
      isOver = true
      condition.broadcast()
      defer { self.waiters = [] }
      return self.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Blocks the thread.
  func wait() {
    condition.withLock { while !isOver { condition.wait() } }
  }

  func happened() async {
    await withCheckedContinuation { continuation in
      let isOver = condition.withLock {
        if !self.isOver { waiters.append(continuation) }
        return self.isOver
      }
      if isOver { continuation.resume() }
    }
  }
}

/// Yields until a condition is true.
func until(_ isSo: () throws -> Bool) async throws {
  while try !isSo() { await Task.yield() }
}
