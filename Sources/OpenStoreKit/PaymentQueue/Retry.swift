import StoreModel

/// How long to wait before a store that did not answer is asked again, and what does the waiting.
///
/// Passed in, so that a test decides when a wait is over.
public protocol RetrySchedule: Sendable {
  /// Returns when the `attempt`th failure in a row (from 1) has been waited for.
  func wait(afterFailure attempt: Int) async throws
}

/// Waits 1, 2, 4, … seconds, 60 at most.
public struct ExponentialRetry: RetrySchedule {
  private let clock: any MachineClock

  public init(clock: any MachineClock = SystemClock()) { self.clock = clock }

  public func wait(afterFailure attempt: Int) async throws {
    let seconds = min(60, 1 << min(max(attempt - 1, 0), 6))
    try await clock.sleep(for: .seconds(seconds))
  }
}
