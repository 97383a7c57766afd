import OpenStoreKit

/// Retries failed calls after 1, 2, 4, … milliseconds, up to 64, so that a test's device notices the end of an outage
/// at once. A device in use waits up to a minute (`ExponentialRetry`).
struct QuickRetry: RetrySchedule {
  func wait(afterFailure attempt: Int) async throws {
    try await Task.sleep(for: .milliseconds(1 << min(max(attempt - 1, 0), 6)))
  }
}
