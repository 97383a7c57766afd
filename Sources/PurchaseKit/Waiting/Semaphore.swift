import StoreModel

/// Limits how many tasks do something at the same time, such as downloads or redemptions. The others wait.
final class Semaphore: Sendable {
  private struct State: Sendable {
    var free: Int
    /// The tasks that wait for a permit. They receive true with a permit, or false if they were cancelled.
    var waiting = WaitQueue<Bool>()
  }

  private let state: LockedValue<State>

  /// The number of waiting tasks.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  init(_ permits: Int) { state = LockedValue(State(free: permits)) }

  /// Waits until the caller has a permit. The caller must release it with ``release()``.
  ///
  /// - Parameter isUrgent: whether to go before the tasks that wait already.
  /// - Throws: `CancellationError`; the caller has no permit then.
  func acquire(isUrgent: Bool = false) async throws {
    let hasPermit = await state.wait(in: \.waiting, cancelled: false, atFront: isUrgent) { state in
      guard state.free > 0 else { return nil }
      state.free -= 1
      return true
    }
    guard hasPermit else { throw CancellationError() }
  }

  func release() {
    let next: WaitQueue<Bool>.Waiter? = state.withLock { state in
      if let next = state.waiting.removeFirst() { return next }
      state.free += 1
      return nil
    }
    next?.resume(true)
  }
}
