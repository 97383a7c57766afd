import PurchaseLedger
import StoreModel

/// Tries again what failed for a reason that passes.
final class Retries: Sendable {
  private let policy: RetryPolicy
  private let clock: any MachineClock
  private let report: @Sendable (LedgerDatabaseError) -> Void
  private let generator: LockedValue<any RandomNumberGenerator & Sendable>

  /// - Parameters:
  ///   - report: is told why, each time before something is tried again.
  ///   - clock: measures the pauses.
  init(
    policy: RetryPolicy = RetryPolicy(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    report: @escaping @Sendable (LedgerDatabaseError) -> Void = { _ in },
    clock: any MachineClock = SystemClock()
  ) {
    self.policy = policy
    self.generator = LockedValue(generator)
    self.report = report
    self.clock = clock
  }

  func run<Value>(_ attempt: () async throws -> Value) async throws -> Value {
    var made = 0
    while true {
      do {
        return try await attempt()
      } catch let failure as PassingFailure {
        made += 1
        guard made < min(policy.attempts, failure.mostAttempts) else { throw failure.error }
        report(failure.error)
        try await clock.sleep(for: .milliseconds(nextPause(after: made)))
      }
    }
  }

  private func nextPause(after attempt: Int) -> Int {
    generator.withLock { policy.pauseMilliseconds(after: attempt, using: &$0) }
  }
}

/// How often a transaction is tried, and how long is waited in between.
struct RetryPolicy: Sendable {
  /// How many attempts are made in all. The pauses below come to one to two seconds in all, in which a server
  /// restarts; an attempt that waits for locks or a standby takes longer by that.
  var attempts = 8
  var firstPauseMilliseconds = 20
  var longestPauseMilliseconds = 1_000

  /// The pauses double. Up to half of each is left to chance, so that those who met do not meet again.
  ///
  /// - Parameter attempt: how many were made, 1 or more.
  func pauseMilliseconds(after attempt: Int, using generator: inout some RandomNumberGenerator) -> Int {
    let doubled = firstPauseMilliseconds << min(attempt - 1, 16)
    let longest = min(doubled, longestPauseMilliseconds)
    return Int.random(in: longest / 2...longest, using: &generator)
  }
}

/// Ends an attempt after which another one is made.
struct PassingFailure: Error {
  /// What the caller is told if it was the last attempt.
  let error: LedgerDatabaseError
  /// How many attempts it is worth, where that is fewer than the policy's.
  var mostAttempts = Int.max
}
