import PurchaseLedger
import StoreModel

/// Repeats work that fails for a temporary reason.
final class Retries: Sendable {
  private let policy: RetryPolicy
  private let clock: any MachineClock
  private let report: @Sendable (LedgerDatabaseError) -> Void
  private let generator: LockedValue<any RandomNumberGenerator & Sendable>

  /// - Parameters:
  ///   - report: called with the error before each retry.
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

  /// - Parameter attempt: its argument is the number of the attempt, 1 or more.
  func run<Value>(_ attempt: (_ number: Int) async throws -> Value) async throws -> Value {
    var made = 0
    while true {
      do {
        return try await attempt(made + 1)
      } catch let failure as TransientFailure {
        made += 1
        guard made < min(policy.attempts, failure.mostAttempts) else { throw failure.error }
        report(failure.error)
        try await clock.sleep(for: nextPause(afterFailures: made))
      }
    }
  }

  private func nextPause(afterFailures failures: Int) -> Duration {
    generator.withLock { policy.pauses.randomPause(afterFailures: failures, using: &$0) }
  }
}

/// The number of attempts, and the pauses between them.
struct RetryPolicy: Sendable {
  /// The maximum number of attempts. All pauses together take 1.1 to 2.3 seconds; a server can restart in that time. An
  /// attempt that waits for locks or a standby takes additional time.
  var attempts = 8
  /// Up to half of each pause is random, so that conflicting transactions are not repeated together.
  var pauses = RetryPauses(from: .milliseconds(20), upTo: .seconds(1))
}

/// Thrown by an attempt that may be repeated.
struct TransientFailure: Error {
  /// The error for the caller if no attempt is left.
  let error: LedgerDatabaseError
  /// The maximum number of attempts for this failure, if it is less than the policy's.
  var mostAttempts = Int.max
}

/// Thrown by an attempt that does not wait for locks, if one is not free.
struct LocksTaken: Error {}
