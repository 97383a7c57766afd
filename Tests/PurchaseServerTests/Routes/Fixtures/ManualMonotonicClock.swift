import Foundation
import StoreModel

/// A clock whose time advances when the test says so.
final class ManualMonotonicClock: MachineClock, @unchecked Sendable {
  private let lock = NSLock()
  private var passed: Int64 = 1_000_000_000
  private var pauses: [AsyncStream<Never>.Continuation] = []
  private var isOver = false

  var now: StoreDate { SystemClock().now }
  var nanoseconds: Int64 { lock.withLock { passed } }

  func advance(seconds: Double) { lock.withLock { passed += Int64(seconds * 1e9) } }

  /// Sleeps until ``endPauses()`` or until the task is cancelled.
  func sleep(for duration: Duration) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let isOver = lock.withLock {
      if !self.isOver { pauses.append(continuation) }
      return self.isOver
    }
    if !isOver { for await _ in stream {} }
    try Task.checkCancellation()
  }

  /// Ends all current and later sleeps.
  func endPauses() {
    let ended = lock.withLock {
      isOver = true
      return pauses
    }
    for pause in ended { pause.finish() }
  }
}
