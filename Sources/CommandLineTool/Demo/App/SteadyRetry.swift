import OpenStoreKit
import PurchaseKit

/// Waits equally long after every failure.
struct SteadyRetry: RetrySchedule, Reachability {
  let milliseconds: Int

  func waitUntilWorthAsking(afterFailures failures: Int) async {
    try? await ContinuousClock().sleep(for: .milliseconds(milliseconds))
  }

  func wait(afterFailure attempt: Int) async throws {
    try await ContinuousClock().sleep(for: .milliseconds(milliseconds))
  }
}
