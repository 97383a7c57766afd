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
public final class ManualClock: WallClock, @unchecked Sendable {
  private let lock = NSLock()
  private var current: StoreDate

  public init(_ start: StoreDate) { current = start }

  public var now: StoreDate { lock.withLock { current } }

  public func advance(seconds: Int64) {
    lock.withLock { current = current.adding(seconds: seconds) }
  }

  /// Moves to any date, also an earlier one: a device's owner can turn its clock back.
  public func set(_ date: StoreDate) { lock.withLock { current = date } }
}
