import StoreModel

/// A clock whose sleeps end when the test releases them.
package final class SteppedClock: MachineClock {
  private let sleeps = AsyncStream.makeStream(of: Duration.self)
  private let releases = AsyncStream.makeStream(of: Void.self)

  package init() {}

  package var now: StoreDate { SystemClock().now }

  package func sleep(for duration: Duration) async throws {
    sleeps.continuation.yield(duration)
    _ = await releases.stream.first { _ in true }
    try Task.checkCancellation()
  }

  /// Returns the length of the next sleep when it begins.
  package func nextSleep() async -> Duration? { await sleeps.stream.first { _ in true } }

  /// Ends one sleep.
  package func release() { releases.continuation.yield() }
}
