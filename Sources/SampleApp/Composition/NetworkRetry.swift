import OpenStoreKit
import StoreModel

/// Retries after a short pause while the phone has a network, and otherwise as soon as it returns.
struct NetworkRetry: RetrySchedule {
  static let pauses = RetryPauses(from: .milliseconds(500), upTo: .seconds(4))

  let switches: DeviceSwitches
  private let timed: TimedRetry

  init(switches: DeviceSwitches, clock: any MachineClock = SystemClock()) {
    self.switches = switches
    timed = TimedRetry(Self.pauses, clock: clock)
  }

  func wait(afterFailures failures: Int) async throws {
    if switches.isOffline {
      await switches.waitUntilOnline()
      try Task.checkCancellation()
    } else {
      try await timed.wait(afterFailures: failures)
    }
  }
}
