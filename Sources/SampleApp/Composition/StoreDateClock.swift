import StoreModel

/// The phone's clock, which follows the store's clock. So a subscription ends in the app when it ends in the store,
/// even if the store's clock was put forward.
///
/// The time since the store's date is measured by the monotonic clock. If the phone's clock was behind and is put right, the
/// date therefore stays right.
final class StoreDateClock: MachineClock {
  private struct Reading: Sendable {
    let date: StoreDate
    let nanoseconds: Int64

    /// The store's date at a later monotonic time.
    func date(at nanoseconds: Int64) -> StoreDate {
      date.adding(milliseconds: (nanoseconds - self.nanoseconds) / 1_000_000)
    }
  }

  private let machine: any MachineClock
  /// The latest date of the store; nil before the first.
  private let latest = LockedValue<Reading?>(nil)

  init(_ machine: any MachineClock = SystemClock()) { self.machine = machine }

  var now: StoreDate {
    let date = machine.now
    return latest.value.map { max(date, $0.date(at: machine.nanoseconds)) } ?? date
  }

  var nanoseconds: Int64 { machine.nanoseconds }

  /// Moves the clock forward to the store's date. An earlier date has no effect.
  func follow(_ date: StoreDate) {
    let reading = Reading(date: date, nanoseconds: machine.nanoseconds)
    latest.withLock { latest in
      if latest.map({ $0.date(at: reading.nanoseconds) < date }) ?? true { latest = reading }
    }
  }
}
