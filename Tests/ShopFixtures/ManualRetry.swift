import OpenStoreKit
import SharedFixtures

/// A device's retry schedule that waits until the test ends the wait.
///
/// The device's workers share it: for payments, for finishes, and for changes. A change of the store, such as a
/// sign-in, wakes the worker for payments before its wait ends. So a test that needs a payment to wait must make its
/// calls fail until then.
package struct ManualRetry: RetrySchedule {
  private let waits = ManualWaits<Int>()

  package init() {}

  package func wait(afterFailure attempt: Int) async throws {
    await waits.wait(attempt)
    try Task.checkCancellation()
  }

  /// Returns the number of consecutive failures when a worker begins to wait.
  package func nextWait() async -> Int? { await waits.next() }

  /// Ends the waits of all workers. If none waits, the next wait ends at once.
  package func release() { waits.release() }
}
