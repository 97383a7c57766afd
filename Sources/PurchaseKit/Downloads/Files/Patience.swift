import Foundation

/// How often something that fails for the moment is tried again, and when.
struct Patience {
  /// How many failures in a row are one too many; nil for as many as it takes.
  let attempts: Int?
  let reachability: any Reachability
  let clock: any Clock<Duration>
  private var failures = 0

  init(attempts: Int?, reachability: any Reachability, clock: any Clock<Duration>) {
    self.attempts = attempts
    self.reachability = reachability
    self.clock = clock
  }

  /// Nobody who waits on a screen waits longer than this for a server that asks to be left alone, in seconds.
  private static let longestPauseOnScreen = 30

  /// Something has worked.
  mutating func succeeded() { failures = 0 }

  /// Returns when trying again is worth it.
  ///
  /// - Throws: `error`, if it has been tried often enough; `CancellationError`.
  mutating func wait(after error: any Error, retryAfterSeconds: Int?) async throws {
    failures += 1
    if let attempts, failures >= attempts || (retryAfterSeconds ?? 0) > Self.longestPauseOnScreen { throw error }
    if let retryAfterSeconds {
      try await clock.sleep(for: .seconds(retryAfterSeconds))
    } else {
      await reachability.waitUntilWorthAsking(afterFailures: failures)
    }
    try Task.checkCancellation()
  }

  /// Asks the server, and again where that may help.
  mutating func asking<Value>(_ ask: () async throws -> Value) async throws -> Value {
    while true {
      do {
        let value = try await ask()
        succeeded()
        return value
      } catch let error as PurchaseServerError where error.isTemporary {
        try await wait(after: error, retryAfterSeconds: error.retryAfterSeconds)
      }
    }
  }
}
