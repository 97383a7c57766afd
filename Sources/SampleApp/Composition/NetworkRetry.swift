import OpenStoreKit
import PurchaseKit
import StoreModel

/// Retries after a short delay while there is a network, and otherwise as soon as it returns.
struct NetworkRetry: RetrySchedule, Reachability {
  let network: NetworkSwitch
  private let clock: any MachineClock

  init(network: NetworkSwitch, clock: any MachineClock = SystemClock()) {
    self.network = network
    self.clock = clock
  }

  /// Returns half a second, doubled with each further failure, and at most four seconds.
  static func delay(afterFailures failures: Int) -> Duration { .milliseconds(500 << min(max(failures - 1, 0), 3)) }

  func wait(afterFailure attempt: Int) async throws {
    if network.isOn {
      try await clock.sleep(for: Self.delay(afterFailures: attempt))
    } else {
      await network.waitUntilOn()
      try Task.checkCancellation()
    }
  }

  func waitBeforeRetry(afterFailures failures: Int) async {
    // An error means that the task is cancelled.
    try? await wait(afterFailure: failures)
  }
}
