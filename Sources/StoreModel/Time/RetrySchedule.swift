/// Decides when a failed call is made again, and waits until then.
///
/// ``TimedRetry`` waits longer after each failure. It ignores the state of the network interface, because a store or server
/// may be unreachable although the interface is up. An app may end the wait sooner when the system reports that the network
/// is back:
///
/// ```swift
/// struct Reconnected: RetrySchedule {
///   func wait(afterFailures failures: Int) async throws {
///     // Return when the Network framework reports a new path, or after a pause that does not overload the server.
///   }
/// }
/// ```
public protocol RetrySchedule: Sendable {
  /// Returns when the call may be made again.
  ///
  /// Nothing else limits the rate of calls. An implementation that returns at once while an interface is up sends calls to
  /// a failed server without pause.
  ///
  /// - Parameter failures: the number of failures in a row, from 1.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func wait(afterFailures failures: Int) async throws
}

/// Waits for pauses of a clock.
public struct TimedRetry: RetrySchedule {
  public let pauses: RetryPauses
  private let clock: any MachineClock

  /// - Parameter clock: measures the pauses. The default continues while the device sleeps.
  public init(_ pauses: RetryPauses, clock: any MachineClock = SystemClock()) {
    self.pauses = pauses
    self.clock = clock
  }

  public func wait(afterFailures failures: Int) async throws {
    try await clock.sleep(for: pauses.pause(afterFailures: failures))
  }
}

/// The pauses before a failed call is made again.
///
/// The pause after n failures in a row is `first` × `factor`ⁿ⁻¹, and at most `longest`.
public struct RetryPauses: Hashable, Sendable {
  public let first: Duration
  public let factor: Int
  public let longest: Duration

  /// - Parameters:
  ///   - first: the pause after the first failure. A shorter one than a millisecond is made one, because immediate failures
  ///     would loop without pause.
  ///   - factor: the ratio of a pause to the pause before it, at least 1.
  ///   - longest: the maximum pause, at least `first`.
  public init(from first: Duration, factor: Int = 2, upTo longest: Duration) {
    self.first = max(first, .milliseconds(1))
    self.factor = max(factor, 1)
    self.longest = max(longest, self.first)
  }

  /// The same pause after every failure.
  public init(always pause: Duration) { self.init(from: pause, factor: 1, upTo: pause) }

  /// 1, 2, 4, 8, 16, then always 30 seconds.
  public static let upToHalfAMinute = RetryPauses(from: .seconds(1), upTo: .seconds(30))
  /// 1, 2, 4, 8, 16, 32, then always 60 seconds.
  public static let upToAMinute = RetryPauses(from: .seconds(1), upTo: .seconds(60))

  /// - Parameter failures: the number of failures in a row; a number below 1 has the same result as 1.
  public func pause(afterFailures failures: Int) -> Duration {
    var pause = first
    guard factor > 1, failures > 1 else { return pause }
    for _ in 1..<failures {
      // Compared by division, because the product may be too large for a duration.
      guard pause < longest / factor else { return longest }
      pause *= factor
    }
    return pause
  }

  /// Returns a random pause of whole milliseconds, from half of ``pause(afterFailures:)`` to all of it, so that calls that
  /// failed together are not repeated together.
  public func randomPause(
    afterFailures failures: Int, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let longest = Int(pause(afterFailures: failures) / .milliseconds(1))
    return .milliseconds(Int.random(in: longest / 2...longest, using: &generator))
  }
}
