import Foundation

/// A clock on which every sleep is over at once; it remembers how long each would have been.
final class SleeplessClock: Clock, @unchecked Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let lock = NSLock()
  private var slept: [Duration] = []

  var sleeps: [Duration] { lock.withLock { slept } }
  let now = Instant(offset: .zero)
  let minimumResolution = Duration.zero

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    lock.withLock { slept.append(now.duration(to: deadline)) }
  }
}
