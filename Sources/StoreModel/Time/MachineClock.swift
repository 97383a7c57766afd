import Foundation

/// The time of this machine: its date, a monotonic time, and sleeping. Tests pass their own clock.
public protocol MachineClock: Sendable {
  /// The current date. It goes back if the machine's clock is set back.
  var now: StoreDate { get }

  /// Nanoseconds since an arbitrary moment. They never go back, and continue while the machine sleeps.
  var nanoseconds: Int64 { get }

  /// Waits for `duration`.
  ///
  /// - Throws: `CancellationError` if the task is cancelled meanwhile.
  func sleep(for duration: Duration) async throws
}

extension MachineClock {
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = SystemClock.start.duration(to: .now).components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }

  public func sleep(for duration: Duration) async throws { try await ContinuousClock().sleep(for: duration) }
}

/// The machine's own clock.
public struct SystemClock: MachineClock {
  fileprivate static let start = ContinuousClock.now

  public init() {}

  public var now: StoreDate { StoreDate(Date()) }
}

/// A clock whose date changes only when a caller changes it. ``nanoseconds`` and sleeping use the machine's time.
public final class ManualClock: MachineClock {
  private let current: LockedValue<StoreDate>

  public init(_ start: StoreDate) { current = LockedValue(start) }

  public var now: StoreDate { current.value }

  public func advance(seconds: Int64) {
    current.withLock { $0 = $0.adding(seconds: seconds) }
  }

  /// Sets any date, also an earlier one: the owner of a device can turn its clock back.
  public func set(_ date: StoreDate) { current.value = date }
}
