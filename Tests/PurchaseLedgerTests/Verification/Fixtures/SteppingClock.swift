import SharedFixtures
import StoreModel

/// A clock that advances only during its sleeps, which end at once, and when the test advances it.
final class SteppingClock: MachineClock {
  private struct State: Sendable {
    var milliseconds: Int64 = 0
    var pauses: [Int64] = []
  }

  private let dates: any MachineClock
  private let state = LockedValue(State())

  /// - Parameter dates: the clock that supplies the date.
  init(dates: any MachineClock = SystemClock()) { self.dates = dates }

  var now: StoreDate { dates.now }
  var milliseconds: Int64 { state.withLock { $0.milliseconds } }
  var nanoseconds: Int64 { milliseconds * 1_000_000 }
  /// The lengths of the sleeps so far, in milliseconds.
  var pauses: [Int64] { state.withLock { $0.pauses } }

  func advance(milliseconds: Int64) { state.withLock { $0.milliseconds += milliseconds } }

  func sleep(for duration: Duration) async throws {
    state.withLock { state in
      state.milliseconds += duration.milliseconds
      state.pauses.append(duration.milliseconds)
    }
  }
}
