import OpenStoreKit
import PurchaseKit
import StoreModel

/// Retries after a short delay while the phone has a network, and otherwise as soon as it returns.
struct NetworkRetry: RetrySchedule, Reachability {
  let switches: DeviceSwitches
  private let clock: any MachineClock

  init(switches: DeviceSwitches, clock: any MachineClock = SystemClock()) {
    self.switches = switches
    self.clock = clock
  }

  /// Returns half a second, doubled with each further failure, and at most four seconds.
  static func delay(afterFailures failures: Int) -> Duration { .milliseconds(500 << min(max(failures - 1, 0), 3)) }

  func wait(afterFailure attempt: Int) async throws {
    if switches.isOffline {
      await switches.waitUntilOnline()
      try Task.checkCancellation()
    } else {
      try await clock.sleep(for: Self.delay(afterFailures: attempt))
    }
  }

  func waitBeforeRetry(afterFailures failures: Int) async {
    // An error means that the task is cancelled.
    try? await wait(afterFailure: failures)
  }
}
