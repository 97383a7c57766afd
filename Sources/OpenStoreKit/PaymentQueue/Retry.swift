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

/// Waits 1, 2, 4, … seconds, up to 60.
public struct ExponentialRetry: RetrySchedule {
  private let clock: any MachineClock

  public init(clock: any MachineClock = SystemClock()) { self.clock = clock }

  public func wait(afterFailure attempt: Int) async throws {
    let seconds = min(60, 1 << min(max(attempt - 1, 0), 6))
    try await clock.sleep(for: .seconds(seconds))
  }
}
