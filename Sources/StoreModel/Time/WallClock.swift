import Foundation

/// Where the time of day comes from. Passed in, so that a test decides what time it is.
public protocol WallClock: Sendable {
  var now: StoreDate { get }
}

/// The machine's own clock.
public struct SystemClock: WallClock {
  public init() {}
  public var now: StoreDate { StoreDate(Date()) }
}

/// A clock that stands still until it is moved.
public final class ManualClock: WallClock {
  private let current: LockedValue<StoreDate>

  public init(_ start: StoreDate) { current = LockedValue(start) }

  public var now: StoreDate { current.value }

  public func advance(seconds: Int64) {
    current.withLock { $0 = $0.adding(seconds: seconds) }
  }

  /// Moves to any date, also an earlier one: a device's owner can turn its clock back.
  public func set(_ date: StoreDate) { current.value = date }
}
