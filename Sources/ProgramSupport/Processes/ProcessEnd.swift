import StoreModel

/// The exit status of a process. Any number of tasks can wait for it.
package final class ProcessEnd: Sendable {
  private struct State: Sendable {
    var status: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  private let state = LockedValue(State())

  /// Stores the exit status and resumes the waiting tasks. Called once, when the process has ended.
  package func note(_ status: Int32) {
    let waiting = state.withLock { state in
      state.status = status
      defer { state.waiting = [] }
      return state.waiting
    }
    for task in waiting { task.resume(returning: status) }
  }

  /// The exit status. Waits until the process has ended, even in a cancelled task.
  package var status: Int32 {
    get async {
      await withCheckedContinuation { continuation in
        let known = state.withLock { state in
          if state.status == nil { state.waiting.append(continuation) }
          return state.status
        }
        if let known { continuation.resume(returning: known) }
      }
    }
  }
}
