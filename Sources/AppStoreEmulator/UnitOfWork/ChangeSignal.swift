import Foundation

/// Wakes callers that wait for a change in the store.
///
/// A caller reads ``count`` before it looks at the store, and then waits for a higher count. So it misses no change that happens
/// between looking and waiting.
final class ChangeSignal: Sendable {
  private let state = LockedState()
  private let pause: Pause

  init(pause: @escaping Pause) { self.pause = pause }

  private final class LockedState: @unchecked Sendable {
    let lock = NSLock()
    var count = 0
    var lastWaiter = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  var count: Int { state.lock.withLock { state.count } }

  func notify() {
    let waiting = state.lock.withLock {
      state.count += 1
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Returns once it ``count`` is higher than `count`, after `seconds`, or when the task is cancelled.
  func wait(beyond count: Int, seconds: Double) async {
    let number = state.lock.withLock {
      state.lastWaiter += 1
      return state.lastWaiter
    }
    var timeout: Task<Void, Never>?
    defer { timeout?.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.lock.withLock {
          guard state.count == count, !Task.isCancelled else { return true }
          state.waiting[number] = continuation
          return false
        }
        if isOver { return continuation.resume() }
        // Only now: a time that is over before anybody waits would wake nobody.
        timeout = Task {
          await pause(Int((seconds * 1000).rounded(.up)))
          stopWaiting(number)
        }
      }
    } onCancel: {
      stopWaiting(number)
    }
  }

  private func stopWaiting(_ number: Int) {
    let waiter = state.lock.withLock { state.waiting.removeValue(forKey: number) }
    waiter?.resume()
  }
}
