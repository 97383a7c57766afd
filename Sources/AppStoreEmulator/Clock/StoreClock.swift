import Foundation
import SignedData
import StoreModel

/// The store's own clock: it follows a wall clock, at a rate of its own, can be put forward, and never goes backwards.
///
/// It stops at the end of ``dates``. Everything the store stamps uses it; what outside parties stamp is compared with the
/// wall clock instead.
public final class StoreClock: Sendable {
  /// Store seconds in one second of the wall clock.
  static let rates = 0.0...1_000_000

  /// Where it can be put: the dates at which something can be signed, but for the last day. The milliseconds of that day
  /// are for signing while it stands still at the end, because each signature has a later date than the one before.
  static let dates =
    IssuingAuthority.signableDates.lowerBound...IssuingAuthority.signableDates.upperBound.adding(seconds: -86_400)

  let machine: any MachineClock
  private let state: LockedValue<State>
  private let activity: StoreActivity

  private struct State: Sendable {
    var rate: Double
    /// The store's date at which it began to follow the wall clock, and the wall clock's date then.
    var start: StoreDate
    var wallStart: StoreDate
    /// The latest date that was read.
    var latest: StoreDate
    /// How often ``goOn(from:rate:)`` was called.
    var changes = 0

    mutating func now(wall: StoreDate) -> StoreDate {
      // In floating point, because a wall clock may jump further than integers can be subtracted.
      let elapsed = (Double(wall.millisecondsSince1970) - Double(wallStart.millisecondsSince1970)) * rate
      let whole = Int64(exactly: elapsed.rounded(.towardZero)) ?? (elapsed > 0 ? .max : .min)
      latest = max(latest, StoreClock.bounded(start.adding(milliseconds: whole)))
      return latest
    }
  }

  /// - Parameters:
  ///   - wall: what it follows.
  ///   - rate: store seconds in one second of `wall`; at least 0.
  ///   - notBefore: the latest date the store has stamped already.
  public convenience init(following wall: any MachineClock, rate: Double = 1, notBefore: StoreDate) {
    self.init(following: wall, rate: rate, notBefore: notBefore, activity: StoreActivity())
  }

  /// - Parameter activity: is told when it is put forward, or goes at another rate.
  init(following wall: any MachineClock, rate: Double, notBefore: StoreDate, activity: StoreActivity) {
    precondition(rate >= 0 && rate.isFinite, "a store's clock does not go backwards")
    machine = wall
    self.activity = activity
    let now = wall.now
    let start = Self.bounded(max(now, notBefore))
    state = LockedValue(State(rate: rate, start: start, wallStart: now, latest: start))
  }

  private static func bounded(_ date: StoreDate) -> StoreDate { min(date, dates.upperBound) }

  public var now: StoreDate {
    let wallNow = machine.now
    return state.withLock { $0.now(wall: wallNow) }
  }

  /// Store seconds in one second of the wall clock.
  public var rate: Double { state.withLock { $0.rate } }

  /// Counts the changes of its date and rate. While it is the same, ``wallMilliseconds(until:)`` follows the wall clock.
  var changes: Int { state.withLock { $0.changes } }

  /// The milliseconds of the wall clock until this clock shows `date`: at least 0, and infinite while it stands still.
  func wallMilliseconds(until date: StoreDate) -> Double {
    let remaining = Double(date.millisecondsSince1970) - Double(now.millisecondsSince1970)
    return remaining <= 0 ? 0 : (remaining / rate).rounded(.up)
  }

  /// Follows on from `date`, or from now where that is later, at `rate`, or the one it has.
  func goOn(from date: StoreDate, rate: Double? = nil) {
    let wallNow = machine.now
    state.withLock { state in
      state.start = max(state.now(wall: wallNow), Self.bounded(date))
      state.wallStart = wallNow
      state.latest = state.start
      state.rate = rate ?? state.rate
      state.changes += 1
    }
    activity.note()
  }
}
