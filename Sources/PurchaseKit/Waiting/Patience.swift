import Foundation

/// How often something that fails for the moment is tried again, and when.
struct Patience {
  let waiters: Waiters
  let reachability: any Reachability
  let clock: any Clock<Duration>
  /// Given back while there is nothing to do but wait; nil for whoever has none.
  let place: Place?
  private var failures = 0

  init(
    waiters: Waiters, reachability: any Reachability, clock: any Clock<Duration>, place: Place? = nil
  ) {
    self.waiters = waiters
    self.reachability = reachability
    self.clock = clock
    self.place = place
  }

  /// Of one who waits alone.
  ///
  /// - Parameter attempts: how many failures in a row are one too many; nil for as many as it takes.
  init(
    attempts: Int?, reachability: any Reachability, clock: any Clock<Duration>, place: Place? = nil
  ) {
    let waiters = Waiters()
    _ = waiters.join(attempts: attempts)
    self.init(waiters: waiters, reachability: reachability, clock: clock, place: place)
  }

  /// Something has worked.
  mutating func succeeded() {
    failures = 0
    waiters.succeeded()
  }

  /// Returns when trying again is worth it.
  ///
  /// - Throws: `error`, if everybody who waits has enough; `CancellationError`.
  mutating func wait(after error: any Error, retryAfterSeconds: Int?) async throws {
    failures += 1
    guard waiters.failed(error, retryAfterSeconds: retryAfterSeconds) else { throw error }
    let (clock, reachability, failures) = (clock, reachability, failures)
    try await withoutPlace {
      // No time at all is none: it would be asked without a pause.
      if let retryAfterSeconds, retryAfterSeconds > 0 {
        try await clock.sleep(for: .seconds(retryAfterSeconds))
      } else {
        await reachability.waitUntilWorthAsking(afterFailures: failures)
      }
      try Task.checkCancellation()
    }
  }

  private func withoutPlace(_ wait: () async throws -> Void) async throws {
    guard let place else { return try await wait() }
    try await place.without(wait)
  }
}
