/// A clock on which a sleep is over when the test says so.
final class SteppedClock: Clock {
  struct Instant: InstantProtocol {
    let offset: Swift.Duration

    func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let sleeps = AsyncStream.makeStream(of: Swift.Duration.self)
  private let releases = AsyncStream.makeStream(of: Void.self)

  let now = Instant(offset: .zero)
  let minimumResolution = Swift.Duration.zero

  func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    sleeps.continuation.yield(deadline.offset)
    _ = await releases.stream.first { _ in true }
    try Task.checkCancellation()
  }

  /// How long somebody wants to sleep; returns when somebody does.
  func nextSleep() async -> Swift.Duration? { await sleeps.stream.first { _ in true } }

  /// Ends one sleep.
  func release() { releases.continuation.yield() }
}
