import OpenStoreKit
import PurchaseKit
import StoreModel

/// Waits for the same time after every failure. The time is never zero, because immediate failures would then loop
/// without pause.
package struct FixedRetry: RetrySchedule, Reachability {
  private let delay: Duration
  private let clock: any MachineClock

  /// - Parameter milliseconds: at least 1; smaller values are treated as 1.
  package init(milliseconds: Int, clock: any MachineClock = SystemClock()) {
    delay = .milliseconds(max(1, milliseconds))
    self.clock = clock
  }

  package func waitBeforeRetry(afterFailures failures: Int) async {
    // An error means that the task is cancelled.
    try? await clock.sleep(for: delay)
  }

  package func wait(afterFailure attempt: Int) async throws { try await clock.sleep(for: delay) }
}
