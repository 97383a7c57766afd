import StoreModel

/// Knows when asking the store again is worth it, after a product request failed.
///
/// The default, ``ExponentialBackoff``, asks the store itself, because its answer is what counts: that an interface is up says
/// nothing of the store behind it. An app may end the waiting sooner when its system tells of a network that came back:
///
/// ```swift
/// struct Reconnected: Reachability {
///   func waitUntilWorthAsking(afterFailures failures: Int) async {
///     // Whichever comes first: a new path (Network framework), or the time after which asking does no harm.
///   }
/// }
/// ```
public protocol Reachability: Sendable {
  /// Returns when the store may be asked again, or as soon as the task is cancelled.
  ///
  /// Nothing else slows the asking down. One that returns at once while an interface is up asks a store that is down as
  /// fast as it can.
  ///
  /// - Parameter failures: how many times in a row it was asked in vain, from 1.
  func waitUntilWorthAsking(afterFailures failures: Int) async
}

/// Waits 1, 2, 4, 8, 16 and from then on 30 seconds: asking the store is how it finds out whether it can be reached.
public struct ExponentialBackoff: Reachability {
  private let clock: any MachineClock

  /// - Parameter clock: what the waiting is measured by; one that goes on while the device sleeps by default.
  public init(clock: any MachineClock = SystemClock()) { self.clock = clock }

  /// How long to wait after `failures` requests in a row failed: at least 1 second, 30 at most.
  public static func delay(afterFailures failures: Int) -> Duration {
    .seconds(min(30, 1 << min(max(failures, 1) - 1, 5)))
  }

  public func waitUntilWorthAsking(afterFailures failures: Int) async {
    // Cancelled: there is nothing left to ask for, and whoever cancelled knows.
    try? await clock.sleep(for: Self.delay(afterFailures: failures))
  }
}
