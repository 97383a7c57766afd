import OpenStoreKit

/// A device's retry schedule that waits until the test ends the wait.
package final class ManualRetry: RetrySchedule {
  private let waits = AsyncStream.makeStream(of: Int.self)
  private let releases = AsyncStream.makeStream(of: Void.self)

  package init() {}

  package func wait(afterFailure attempt: Int) async throws {
    waits.continuation.yield(attempt)
    for await _ in releases.stream { return }
    throw CancellationError()
  }

  /// Returns the number of consecutive failures when the device begins to wait.
  package func nextWait() async -> Int? { await waits.stream.first { _ in true } }

  /// Ends one wait.
  package func release() { releases.continuation.yield() }
}
