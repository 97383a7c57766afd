import Foundation

/// Wakes those who wait for something to happen in the store.
///
/// Whoever waits notes the number of rings before looking, and then waits for one more: nothing that happens between
/// looking and waiting is missed.
final class ChangeBell: Sendable {
  private let state = LockedState()
  private let pause: EmulatedAppStore.Pause

  init(pause: @escaping EmulatedAppStore.Pause) { self.pause = pause }

  private final class LockedState: @unchecked Sendable {
    let lock = NSLock()
    var rings = 0
    var lastWaiter = 0
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  var rings: Int { state.lock.withLock { state.rings } }

  func ring() {
    let waiting = state.lock.withLock {
      state.rings += 1
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for waiter in waiting { waiter.resume() }
  }

  /// Returns once it has rung more than `rings` times, after `seconds`, or when the task is cancelled.
  func wait(beyond rings: Int, seconds: Double) async {
    let number = state.lock.withLock {
      state.lastWaiter += 1
      return state.lastWaiter
    }
    var timeout: Task<Void, Never>?
    defer { timeout?.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.lock.withLock {
          guard state.rings == rings, !Task.isCancelled else { return true }
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
