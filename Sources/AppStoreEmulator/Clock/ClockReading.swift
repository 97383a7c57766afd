import StoreModel

/// What the store's clock shows, and how fast it goes.
public struct ClockReading: Hashable, Sendable {
  public let now: StoreDate
  /// Store seconds in one second of the wall clock; 0 where it stands still.
  public let rate: Double

  public init(now: StoreDate, rate: Double) {
    self.now = now
    self.rate = rate
  }
}

/// How the store's clock is put forward.
public enum ClockMove: Hashable, Sendable {
  /// By so many milliseconds, at least 0.
  case advance(milliseconds: Int64)
  /// To a date that is not before what the clock shows.
  case to(StoreDate)
}
