import OpenStoreKit
import PurchaseKit
import StoreModel

/// Asks again soon while there is a network, and at once when it returns.
struct NetworkReturn: RetrySchedule, Reachability {
  let network: NetworkSwitch
  private let clock: any MachineClock

  init(network: NetworkSwitch, clock: any MachineClock = SystemClock()) {
    self.network = network
    self.clock = clock
  }

  /// Half a second, doubled with each failure, four seconds at most.
  static func delay(afterFailures failures: Int) -> Duration { .milliseconds(500 << min(max(failures - 1, 0), 3)) }

  func wait(afterFailure attempt: Int) async throws {
    if network.isOn {
      try await clock.sleep(for: Self.delay(afterFailures: attempt))
    } else {
      await network.waitUntilOn()
      try Task.checkCancellation()
    }
  }

  func waitUntilWorthAsking(afterFailures failures: Int) async {
    // Cancelled: nobody asks any more.
    try? await wait(afterFailure: failures)
  }
}
