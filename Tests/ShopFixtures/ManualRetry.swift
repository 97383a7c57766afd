import SharedFixtures
import StoreModel

/// A retry schedule that waits until the test ends the wait.
///
/// The workers of a device share it: for payments, for finishes, and for changes. A change of the store, such as a
/// sign-in, wakes the worker for payments before its wait ends. So a test that needs a payment to wait must make its
/// calls fail until then.
package struct ManualRetry: RetrySchedule {
  private let waits = ManualWaits<Int>()

  package init() {}

  package func wait(afterFailures failures: Int) async throws {
    await waits.wait(failures)
    try Task.checkCancellation()
  }

  /// The number of callers that wait now.
  package var count: Int { waits.count }

  /// Returns the number of consecutive failures when a caller begins to wait.
  package func nextWait() async -> Int? { await waits.next() }

  /// Returns when a wait has ended, by a release or a cancellation.
  package func nextEnd() async { await waits.nextEnd() }

  /// Ends all waits. If there are none, the next wait ends at once.
  package func release() { waits.release() }
}
