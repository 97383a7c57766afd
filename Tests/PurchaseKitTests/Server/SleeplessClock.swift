import Foundation
import StoreModel

/// A clock on which every sleep is over at once. It records how long each would have been.
final class SleeplessClock: MachineClock {
  private let date: Date?
  private let slept = LockedValue<[Duration]>([])

  /// - Parameter date: stands still; nil for the machine's date.
  init(date: Date? = nil) { self.date = date }

  var now: StoreDate { date.map { StoreDate($0) } ?? SystemClock().now }
  var sleeps: [Duration] { slept.value }

  func sleep(for duration: Duration) async throws { slept.withLock { $0.append(duration) } }
}
