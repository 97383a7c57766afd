import StoreModel

/// Decides how long to wait before a failed call is retried, and waits.
///
/// A test passes its own schedule.
public protocol RetrySchedule: Sendable {
  /// Returns when the call may be retried.
  ///
  /// - Parameter attempt: the number of consecutive failures, at least 1.
  func wait(afterFailure attempt: Int) async throws
}

/// Waits twice as long after each further failure: by default 1, 2, 4, … seconds, up to 60.
public struct ExponentialRetry: RetrySchedule {
  private let clock: any MachineClock
  private let (shortest, longest): (Duration, Duration)

  /// - Parameters:
  ///   - shortest: the wait after the first failure.
  ///   - longest: the maximum wait.
  public init(
    clock: any MachineClock = SystemClock(), from shortest: Duration = .seconds(1),
    upTo longest: Duration = .seconds(60)
  ) {
    self.clock = clock
    (self.shortest, self.longest) = (shortest, longest)
  }

  public func wait(afterFailure attempt: Int) async throws {
    try await clock.sleep(for: min(longest, shortest * (1 << min(max(attempt - 1, 0), 6))))
  }
}
