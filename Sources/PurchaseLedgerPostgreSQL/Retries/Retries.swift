import PurchaseLedger
import StoreModel

/// Tries again what failed for a reason that passes.
final class Retries: Sendable {
  private let policy: RetryPolicy
  private let pause: @Sendable (_ milliseconds: Int) async throws -> Void
  private let report: @Sendable (LedgerDatabaseError) -> Void
  private let generator: LockedValue<any RandomNumberGenerator & Sendable>

  /// - Parameters:
  ///   - report: is told why, each time before something is tried again.
  ///   - pause: waits; throws if the task is cancelled meanwhile.
  init(
    policy: RetryPolicy = RetryPolicy(),
    generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    report: @escaping @Sendable (LedgerDatabaseError) -> Void = { _ in },
    pause: @escaping @Sendable (_ milliseconds: Int) async throws -> Void = {
      try await Task.sleep(for: .milliseconds($0))
    }
  ) {
    self.policy = policy
    self.generator = LockedValue(generator)
    self.report = report
    self.pause = pause
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
        try await pause(nextPause(after: made))
      }
    }
  }

  private func nextPause(after attempt: Int) -> Int {
    generator.withLock { policy.pauseMilliseconds(after: attempt, using: &$0) }
  }
}
