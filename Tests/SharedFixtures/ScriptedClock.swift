import StoreModel

/// A clock whose parts a test replaces. The other parts are the machine's.
package struct ScriptedClock: MachineClock {
  private let date: @Sendable () -> StoreDate
  private let time: @Sendable () -> Int64
  private let wait: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - date: the date.
  ///   - nanoseconds: the monotonic time.
  ///   - sleep: waits for a duration.
  package init(
    date: @escaping @Sendable () -> StoreDate = { SystemClock().now },
    nanoseconds: @escaping @Sendable () -> Int64 = { SystemClock().nanoseconds },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await SystemClock().sleep(for: $0) }
  ) {
    self.date = date
    time = nanoseconds
    wait = sleep
  }

  package var now: StoreDate { date() }
  package var nanoseconds: Int64 { time() }
  package func sleep(for duration: Duration) async throws { try await wait(duration) }
}

extension Duration {
  /// Whole milliseconds, rounded down.
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }
}
