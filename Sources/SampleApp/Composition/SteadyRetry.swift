import OpenStoreKit
import PurchaseKit
import StoreModel

/// Waits equally long after every failure, and never not at all: whoever fails at once would be asked in a circle.
package struct SteadyRetry: RetrySchedule, Reachability {
  private let delay: Duration
  private let clock: any MachineClock

  /// - Parameter milliseconds: at least 1; less counts as that.
  package init(milliseconds: Int, clock: any MachineClock = SystemClock()) {
    delay = .milliseconds(max(1, milliseconds))
    self.clock = clock
  }

  package func waitUntilWorthAsking(afterFailures failures: Int) async {
    // Cancelled: nobody asks any more.
    try? await clock.sleep(for: delay)
  }

  package func wait(afterFailure attempt: Int) async throws { try await clock.sleep(for: delay) }
}
