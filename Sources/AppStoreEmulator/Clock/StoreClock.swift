import Foundation
import StoreModel

/// The store's own clock: it follows a wall clock, at a rate of its own, and never goes backwards.
///
/// Everything the store stamps uses it; what outside parties stamp is compared with the wall clock instead.
public final class StoreClock: Sendable {
  private let wall: any WallClock
  private let rate: Double
  private let state: LockedState

  private final class LockedState: @unchecked Sendable {
    let lock = NSLock()
    let start: StoreDate
    let wallStart: StoreDate
    var latest: StoreDate

    init(start: StoreDate, wallStart: StoreDate) {
      self.start = start
      self.wallStart = wallStart
      latest = start
    }
  }

  /// - Parameters:
  ///   - wall: what it follows.
  ///   - rate: store seconds in one second of `wall`; at least 0.
  ///   - notBefore: the latest date the store has stamped already.
  public init(following wall: any WallClock, rate: Double = 1, notBefore: StoreDate) {
    precondition(rate >= 0 && rate.isFinite, "a store's clock does not go backwards")
    self.wall = wall
    self.rate = rate
    let now = wall.now
    state = LockedState(start: max(now, notBefore), wallStart: now)
  }

  public var now: StoreDate {
    let wallNow = wall.now
    return state.lock.withLock {
      // In floating point, because a wall clock may jump further than integers can be subtracted.
      let elapsed = (Double(wallNow.millisecondsSince1970) - Double(state.wallStart.millisecondsSince1970)) * rate
      let whole = Int64(exactly: elapsed.rounded(.towardZero)) ?? (elapsed > 0 ? .max : .min)
      state.latest = max(state.latest, state.start.adding(milliseconds: whole))
      return state.latest
    }
  }
}
