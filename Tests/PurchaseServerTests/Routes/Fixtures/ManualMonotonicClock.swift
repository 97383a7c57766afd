import Foundation
import StoreModel

/// A clock whose time advances when the test says so.
final class ManualMonotonicClock: MachineClock {
  private struct State: Sendable {
    var passed: Int64 = 1_000_000_000
    var pauses: [AsyncStream<Never>.Continuation] = []
    var isOver = false
  }

  private let state = LockedValue(State())
  private let start = SystemClock().now

  var now: StoreDate { start.adding(milliseconds: nanoseconds / 1_000_000) }
  var nanoseconds: Int64 { state.withLock { $0.passed } }

  func advance(seconds: Double) { state.withLock { $0.passed += Int64(seconds * 1e9) } }

  /// Sleeps until ``endPauses()`` or until the task is cancelled.
  func sleep(for duration: Duration) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let isOver = state.withLock { state in
      if !state.isOver { state.pauses.append(continuation) }
      return state.isOver
    }
    if !isOver { for await _ in stream {} }
    try Task.checkCancellation()
  }

  /// Ends all current and later sleeps.
  func endPauses() {
    let ended = state.withLock { state in
      state.isOver = true
      return state.pauses
    }
    for pause in ended { pause.finish() }
  }
}
