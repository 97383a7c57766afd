import StoreModel

/// The tasks that wait for the same result, each with its own limit of failures. The work is retried until it succeeds,
/// or until all tasks have reached their limit.
final class Waiters: Sendable {
  typealias Continuation = CheckedContinuation<Void, any Error>

  private struct Waiter: Sendable {
    var limit: RetryLimit
    /// Nil if no task is suspended for this waiter, for example because the caller of a ``RetryBudget`` works itself.
    let continuation: Continuation?
  }

  private struct State: Sendable {
    var waiters: [Waiter] = []
    var isShut = false

    /// Counts a failure for every waiter, and removes those that have reached their limit, unless all have.
    ///
    /// - Returns: the removed waiters; nil if all have reached their limit.
    mutating func failed(retryAfterSeconds: Int?) -> [Waiter]? {
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
  }

  private let state = LockedValue(State())

  /// The number of waiting tasks.
  var count: Int { state.withLock { $0.waiters.count } }

  /// Adds a task that waits.
  ///
  /// - Parameter continuation: resumed when the work ends, or when this waiter reaches its limit of failures.
  /// - Returns: false if the work is about to end; then it is too late to join.
  func join(attempts: Int?, _ continuation: Continuation? = nil) -> Bool {
    state.withLock { state in
      guard !state.isShut else { return false }
      state.waiters.append(Waiter(limit: RetryLimit(attempts: attempts), continuation: continuation))
      return true
    }
  }

  /// Records that an attempt succeeded.
  func succeeded() {
    state.withLock { state in for index in state.waiters.indices { state.waiters[index].limit.succeeded() } }
  }

  /// Records that an attempt failed. Waiters that have reached their limit receive the error. If all have reached it,
  /// no task can join any more, and ``end(_:)`` resumes them.
  ///
  /// - Returns: whether to try again.
  func failed(_ error: any Error, retryAfterSeconds: Int?) -> Bool {
    let leaving = state.withLock { $0.failed(retryAfterSeconds: retryAfterSeconds) }
    for waiter in leaving ?? [] { waiter.continuation?.resume(throwing: error) }
    return leaving != nil
  }

  /// Refuses further waiters.
  func shut() { state.withLock { $0.isShut = true } }

  /// Resumes all waiters with the result.
  func end(_ result: Result<Void, any Error>) {
    let all = state.withLock { state in
      state.isShut = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in all { waiter.continuation?.resume(with: result) }
  }
}

/// The number of failures in a row that a waiter accepts.
private struct RetryLimit: Sendable {
  /// The longest pause, in seconds, that a waiter with a limit accepts when the server asks for a pause.
  private static let longestPause = 30

  /// Nil for no limit.
  let attempts: Int?
  private var failures = 0

  init(attempts: Int?) { self.attempts = attempts }

  /// Records that an attempt succeeded.
  mutating func succeeded() { failures = 0 }

  /// Records that an attempt failed.
  ///
  /// - Returns: whether the waiter gives up: it has reached its number of failures, or the server asks for a longer pause
  ///   than it accepts.
  mutating func failed(retryAfterSeconds: Int?) -> Bool {
    failures += 1
    guard let attempts else { return false }
    return failures >= attempts || (retryAfterSeconds ?? 0) > Self.longestPause
  }
}
