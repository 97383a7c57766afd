import StoreModel

/// A clock whose sleeps end when the test releases them.
package struct SteppedClock: MachineClock {
  private let sleeps = ManualWaits<Duration>()

  package init() {}

  package var now: StoreDate { SystemClock().now }

  package func sleep(for duration: Duration) async throws {
    await sleeps.wait(duration)
    try Task.checkCancellation()
  }

  /// Returns the length of the next sleep when it begins.
  package func nextSleep() async -> Duration? { await sleeps.next() }

  /// Ends all sleeps. If there are none, the next sleep ends at once.
  package func release() { sleeps.release() }
}
