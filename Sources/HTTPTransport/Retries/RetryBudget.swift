import StoreModel

/// The retries of one call: how many are left, when the next one is sent, and until when. It does not wait itself.
package struct RetryBudget: Sendable {
  package enum Next: Hashable, Sendable {
    /// Send the request again after this pause.
    case retry(afterMilliseconds: Int64)
    /// All retries were used.
    case noRetryLeft
    /// The pause would end after the total timeout.
    case noTimeLeft
  }

  private let retries: Int
  private let pauses: RetryPauses
  private let answerTimeoutMilliseconds: Int64
  /// The end of the total timeout: a time of the monotonic clock, in milliseconds.
  private let deadline: Int64
  private var used = 0

  /// - Parameters:
  ///   - retries: the maximum number of retries.
  ///   - pauses: the pauses before them.
  ///   - answerTimeoutSeconds: the timeout of one request.
  ///   - totalTimeoutSeconds: the timeout of the call with all retries and pauses. It starts at `now`.
  ///   - now: the time of a monotonic clock, in milliseconds.
  ///   - deadline: the time at which the total timeout ends at the latest; nil for no such time.
  package init(
    retries: Int, pauses: RetryPauses, answerTimeoutSeconds: Int, totalTimeoutSeconds: Int, now: Int64,
    deadline: Int64? = nil
  ) {
    self.retries = retries
    self.pauses = pauses
    answerTimeoutMilliseconds = Int64(answerTimeoutSeconds) * 1_000
    let end = now + Int64(totalTimeoutSeconds) * 1_000
    self.deadline = min(end, deadline ?? end)
  }

  /// Returns the timeout of the next request, in milliseconds; nil if no time is left.
  package func timeoutMilliseconds(at now: Int64) -> Int64? {
    let milliseconds = min(answerTimeoutMilliseconds, deadline - now)
    return milliseconds > 0 ? milliseconds : nil
  }

  /// Decides about a retry after a failure. Up to half of a pause is random, so that calls that failed together are not
  /// repeated together.
  ///
  /// - Parameters:
  ///   - waitMilliseconds: the wait that the server asked for; the pause is at least as long.
  ///   - now: the time of a monotonic clock, in milliseconds.
  ///   - chance: returns a random number of the range.
  package mutating func next(
    waitMilliseconds: Int64 = 0, now: Int64, chance: (ClosedRange<Int64>) -> Int64
  ) -> Next {
    guard used < retries else { return .noRetryLeft }
    used += 1
    let whole = Int64(pauses.pause(afterFailures: used) / .milliseconds(1))
    let pause = max(whole - chance(0...whole / 2), waitMilliseconds)
    guard now + pause < deadline else { return .noTimeLeft }
    return .retry(afterMilliseconds: pause)
  }
}

extension MachineClock {
  /// The monotonic time in milliseconds.
  package var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
