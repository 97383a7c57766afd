import Foundation
import StoreModel

/// A clock whose sleeps end at once. It records their durations.
final class SleeplessClock: MachineClock {
  private let date: Date?
  private let slept = LockedValue<[Duration]>([])

  /// - Parameter date: the constant date of the clock; nil for the machine's date.
  init(date: Date? = nil) { self.date = date }

  var now: StoreDate { date.map { StoreDate($0) } ?? SystemClock().now }
  var sleeps: [Duration] { slept.value }

  func sleep(for duration: Duration) async throws { slept.withLock { $0.append(duration) } }
}
