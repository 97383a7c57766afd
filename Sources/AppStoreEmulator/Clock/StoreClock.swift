import Foundation
import SignedData
import StoreModel

/// The store's own clock. It follows a wall clock at its own rate, can be moved forward, and never goes backwards
/// within an epoch of the store.
///
/// The clock stops at the end of ``dates``. The store uses this clock for all dates that the store makes. Dates made by
/// other programs are compared with the wall clock.
public final class StoreClock: Sendable {
  /// The valid rates, in store seconds per second of the wall clock.
  static let rates = 0.0...1_000_000

  /// The dates to which the clock can be set: all dates at which something can be signed, without the last day.
  ///
  /// The milliseconds of the last day are reserved for signatures while the clock stands still at the end, because each
  /// signature has a later date than the one before.
  static let dates =
    IssuingAuthority.signableDates.lowerBound...IssuingAuthority.signableDates.upperBound.adding(seconds: -86_400)

  let machine: any MachineClock
  private let state: LockedValue<State>
  private let activity: StoreActivity

  private struct State: Sendable {
    var rate: Double
    /// The store's date, and the wall clock's date, when the store's clock began to follow the wall clock.
    var start: StoreDate
    var wallStart: StoreDate
    /// The latest date that a caller has read.
    var latest: StoreDate
    /// The number of changes of the date or the rate.
    var changes = 0

    /// Continues from `date`, which is the store's date when the wall clock shows `wall`.
    mutating func begin(at date: StoreDate, wall: StoreDate) {
      (start, latest, wallStart) = (date, date, wall)
      changes += 1
    }

    mutating func now(wall: StoreDate) -> StoreDate {
      // Uses floating point, because the difference of two dates of the wall clock may not fit into an integer.
      let elapsed = (Double(wall.millisecondsSince1970) - Double(wallStart.millisecondsSince1970)) * rate
      let whole = Int64(exactly: elapsed.rounded(.towardZero)) ?? (elapsed > 0 ? .max : .min)
      latest = max(latest, StoreClock.bounded(start.adding(milliseconds: whole)))
      return latest
    }
  }

  /// - Parameters:
  ///   - wall: the wall clock to follow.
  ///   - rate: store seconds per second of `wall`; at least 0.
  ///   - notBefore: the latest date that the store has used.
  public convenience init(following wall: any MachineClock, rate: Double = 1, notBefore: StoreDate) {
    self.init(following: wall, rate: rate, notBefore: notBefore, activity: StoreActivity())
  }

  /// - Parameter activity: notified when the date or the rate is changed.
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

  /// The date of the wall clock, to which dates made by other programs are compared.
  var wallNow: StoreDate { machine.now }

  /// The date to which ``returnToPresent()`` sets this clock.
  var present: StoreDate { Self.bounded(machine.now) }

  /// Store seconds per second of the wall clock.
  public var rate: Double { state.withLock { $0.rate } }

  /// The number of changes of the date or the rate. While it is the same, a delay from ``wallMilliseconds(until:)``
  /// stays correct.
  var changes: Int { state.withLock { $0.changes } }

  /// The milliseconds of the wall clock until this clock shows `date`: at least 0, and infinite if the clock is
  /// stopped.
  func wallMilliseconds(until date: StoreDate) -> Double {
    let remaining = Double(date.millisecondsSince1970) - Double(now.millisecondsSince1970)
    return remaining <= 0 ? 0 : (remaining / rate).rounded(.up)
  }

  /// Returns to the date of the wall clock, for a new epoch of a store in memory. The rate does not change.
  func returnToPresent() {
    let wallNow = machine.now
    state.withLock { $0.begin(at: Self.bounded(wallNow), wall: wallNow) }
    activity.note()
  }

  /// Continues from `date`, or from the current date if that is later. A nil `rate` keeps the current rate.
  func goOn(from date: StoreDate, rate: Double? = nil) {
    let wallNow = machine.now
    state.withLock { state in
      state.begin(at: max(state.now(wall: wallNow), Self.bounded(date)), wall: wallNow)
      state.rate = rate ?? state.rate
    }
    activity.note()
  }
}
