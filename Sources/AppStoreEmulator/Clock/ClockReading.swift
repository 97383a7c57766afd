import StoreModel

/// The date and the rate of the store's clock.
public struct ClockReading: Hashable, Sendable {
  public let now: StoreDate
  /// Store seconds per second of the wall clock; 0 if the clock is stopped.
  public let rate: Double

  public init(now: StoreDate, rate: Double) {
    self.now = now
    self.rate = rate
  }
}

/// A forward move of the store's clock.
public enum ClockMove: Hashable, Sendable {
  /// By this number of milliseconds, at least 0.
  case advance(milliseconds: Int64)
  /// To a date that is not before the current date of the clock.
  case to(StoreDate)
  /// To the next date at which something is due: a renewal or another step of a subscription, or the deadline of a
  /// payment that waits for approval.
  case toNextEvent
}
