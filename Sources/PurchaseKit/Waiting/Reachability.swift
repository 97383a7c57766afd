import StoreModel

/// Decides when a failed product or server request is made again.
///
/// The default, ``ExponentialBackoff``, waits longer after each failure. It ignores the state of the network interface,
/// because the store may be unreachable although the interface is up. An app may end the wait sooner when the system
/// reports that the network is back:
///
/// ```swift
/// struct Reconnected: Reachability {
///   func waitBeforeRetry(afterFailures failures: Int) async {
///     // Return when the Network framework reports a new path, or after a pause that does not overload the server.
///   }
/// }
/// ```
public protocol Reachability: Sendable {
  /// Returns when the store or the server may be asked again, or as soon as the task is cancelled.
  ///
  /// Nothing else limits the rate of requests. An implementation that returns at once while an interface is up sends
  /// requests to a failed store without pause.
  ///
  /// - Parameter failures: the number of failures in a row, from 1.
  func waitBeforeRetry(afterFailures failures: Int) async
}

/// Waits 1, 2, 4, 8 and 16 seconds after the first five failures, and 30 seconds after each further one.
public struct ExponentialBackoff: Reachability {
  private let clock: any MachineClock

  /// - Parameter clock: measures the waits. The default continues while the device sleeps.
  public init(clock: any MachineClock = SystemClock()) { self.clock = clock }

  /// Returns the wait after `failures` failures in a row: 1 to 30 seconds.
  public static func delay(afterFailures failures: Int) -> Duration {
    .seconds(min(30, 1 << min(max(failures, 1) - 1, 5)))
  }

  public func waitBeforeRetry(afterFailures failures: Int) async {
    // An error means that the task is cancelled.
    try? await clock.sleep(for: Self.delay(afterFailures: failures))
  }
}
