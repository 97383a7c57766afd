import StoreModel

/// A clock that a test moves. Its sleeps end when the test has moved it far enough.
package final class MovableClock: MachineClock {
  private struct Sleeper: Sendable {
    let end: Int64
    let duration: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State: Sendable {
    var time: Int64 = 0
    var sleepers: [Int: Sleeper] = [:]
    var begun: [Duration] = []
    var waiting: [CheckedContinuation<Bool, Never>] = []
  }

  private let start: StoreDate
  private let state = LockedValue(State())

  package init(start: StoreDate = StoreDate(millisecondsSince1970: 1_790_000_000_000)) { self.start = start }

  package var nanoseconds: Int64 { state.withLock { $0.time } }

  package var now: StoreDate {
    StoreDate(millisecondsSince1970: start.millisecondsSince1970 + nanoseconds / 1_000_000)
  }

  /// The number of sleeps so far, those included that have ended.
  package var sleepCount: Int { state.withLock { $0.begun.count } }

  package func sleep(for duration: Duration) async throws {
    let id = state.withLock { state in
      state.begun.append(duration)
      return state.begun.count
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let (isCancelled, waiting) = state.withLock { state in
          defer { state.waiting = [] }
          guard !Task.isCancelled else { return (true, state.waiting) }
          state.sleepers[id] = Sleeper(
            end: state.time + duration.milliseconds * 1_000_000, duration: duration, continuation: continuation)
          return (false, state.waiting)
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) }
        for waiter in waiting { waiter.resume(returning: false) }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Moves the clock, and ends the sleeps that are over then.
  package func advance(by duration: Duration) {
    let ended = state.withLock { state in
      state.time += duration.milliseconds * 1_000_000
      let ended = state.sleepers.filter { $0.value.end <= state.time }
      for id in ended.keys { state.sleepers[id] = nil }
      return ended.values
    }
    for sleeper in ended { sleeper.continuation.resume() }
  }

  /// Returns when a task sleeps that has begun to sleep for `duration` at the present time.
  ///
  /// A longer sleep that began earlier and ends at the same moment does not count: it is another task's.
  package func untilSleeping(for duration: Duration) async {
    var isMet = false
    while !isMet {
      isMet = await withCheckedContinuation { continuation in
        let isMet = state.withLock { state in
          let end = state.time + duration.milliseconds * 1_000_000
          if state.sleepers.values.contains(where: { $0.end == end && $0.duration == duration }) { return true }
          state.waiting.append(continuation)
          return false
        }
        if isMet { continuation.resume(returning: true) }
      }
    }
  }
}
