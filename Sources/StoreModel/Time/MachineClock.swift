import Foundation

/// The time of this machine: the date, the time that passes, and waiting. Passed in, so that a test decides what time it is.
public protocol MachineClock: Sendable {
  /// The date. It goes back when the machine's clock is set back.
  var now: StoreDate { get }

  /// Nanoseconds since an arbitrary moment. They never go back, and count on while the machine sleeps.
  var nanoseconds: Int64 { get }

  /// Returns after `duration`.
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

/// A clock whose date stands still until it is moved. Its other time is the machine's.
public final class ManualClock: MachineClock {
  private let current: LockedValue<StoreDate>

  public init(_ start: StoreDate) { current = LockedValue(start) }

  public var now: StoreDate { current.value }

  public func advance(seconds: Int64) {
    current.withLock { $0 = $0.adding(seconds: seconds) }
  }

  /// Moves to any date, also an earlier one: a device's owner can turn its clock back.
  public func set(_ date: StoreDate) { current.value = date }
}
