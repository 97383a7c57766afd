import Foundation
import StoreModel

/// Decides how often an operation is tried again after temporary failures, and when.
struct RetryBudget {
  let waiters: Waiters
  let retry: any RetrySchedule
  let clock: any MachineClock
  /// The permit to release during the pauses; nil if the task holds none.
  let permit: Permit?
  private var failures = 0

  init(
    waiters: Waiters, retry: any RetrySchedule, clock: any MachineClock, permit: Permit? = nil
  ) {
    self.waiters = waiters
    self.retry = retry
    self.clock = clock
    self.permit = permit
  }

  /// A budget for a single waiter.
  ///
  /// - Parameter attempts: the number of failures in a row after which it gives up; nil to try forever.
  init(
    attempts: Int?, retry: any RetrySchedule, clock: any MachineClock, permit: Permit? = nil
  ) {
    let waiters = Waiters()
    _ = waiters.join(attempts: attempts)
    self.init(waiters: waiters, retry: retry, clock: clock, permit: permit)
  }

  /// Records that an attempt succeeded.
  mutating func succeeded() {
    failures = 0
    waiters.succeeded()
  }

  /// Returns when the next attempt should be made.
  ///
  /// - Throws: `error` if no waiter has attempts left; `CancellationError`.
  mutating func wait(after error: any Error, retryAfterSeconds: Int?) async throws {
    failures += 1
    guard waiters.failed(error, retryAfterSeconds: retryAfterSeconds) else { throw error }
    guard let permit else { return try await pause(retryAfterSeconds) }
    try await permit.released { try await pause(retryAfterSeconds) }
  }

  /// The longest pause before the next attempt, in seconds, even if the server asks for a longer one. A caller that joins
  /// a download during the pause waits for its end, too.
  private static let longestPause = 300

  private func pause(_ retryAfterSeconds: Int?) async throws {
    // If the server asks for zero seconds, the usual pause applies.
    if let retryAfterSeconds, retryAfterSeconds > 0 {
      try await clock.sleep(for: .seconds(min(retryAfterSeconds, Self.longestPause)))
    } else {
      try await retry.wait(afterFailures: failures)
    }
    try Task.checkCancellation()
  }
}
