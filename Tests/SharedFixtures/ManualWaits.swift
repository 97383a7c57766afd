import StoreModel

/// Waits of a program that end when the test releases them, or when their task is cancelled.
///
/// Several tasks may wait at once. A stream that the waiting tasks read would not do: the cancellation of one of them
/// ends the stream for all.
package final class ManualWaits<Reason: Sendable>: Sendable {
  private struct State {
    var waiting = WaitQueue<Bool>()
    /// The test has released a wait that had not begun yet.
    var nextIsReleased = false
  }

  private let state = LockedValue(State())
  private let begun = AsyncStream.makeStream(of: Reason.self)
  private let ended = AsyncStream.makeStream(of: Void.self)

  package init() {}

  /// Waits for a release, or for the cancellation of the task.
  ///
  /// - Parameter reason: what ``next()`` returns to the test.
  /// - Returns: whether the test has released the wait.
  @discardableResult
  package func wait(_ reason: Reason) async -> Bool {
    var hasBegun = false
    let isReleased = await state.wait(
      in: \.waiting, cancelled: false,
      unless: { state in
        hasBegun = true
        begun.continuation.yield(reason)
        defer { state.nextIsReleased = false }
        return state.nextIsReleased ? true : nil
      })
    // A task that was cancelled before its wait is reported too: its attempt has failed.
    if !hasBegun { begun.continuation.yield(reason) }
    ended.continuation.yield()
    return isReleased
  }

  /// The number of tasks that wait now.
  package var count: Int { state.withLock { $0.waiting.count } }

  /// Returns the reason of the next wait when it has begun.
  package func next() async -> Reason? { await begun.stream.first { _ in true } }

  /// Returns when a wait has ended, by a release or a cancellation.
  package func nextEnd() async { _ = await ended.stream.first { _ in true } }

  /// Ends all waits. If there are none, the next wait ends at once.
  package func release() {
    let waiting = state.withLock { state in
      state.nextIsReleased = state.waiting.count == 0
      return state.waiting.removeAll()
    }
    for waiter in waiting { waiter.resume(true) }
  }
}
