/// Runs of the same work that concurrent callers share.
///
/// A caller never receives the result of a run that began before its call: it may not include what the caller has to
/// see. So at most one run is under way, and one waits for its end.
package final class SharedRuns<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var running: Task<Value, Never>?
    /// The run that begins after ``running``.
    var next: Task<Value, Never>?
  }

  private let state = LockedValue(State())

  package init() {}

  /// The number of runs that have begun or wait: at most two.
  package var count: Int { state.withLock { ($0.running == nil ? 0 : 1) + ($0.next == nil ? 0 : 1) } }

  /// Returns the result of a run that begins after this call. Cancelling the caller's task does not end the run.
  ///
  /// - Parameter work: the work, if this caller begins the run.
  package func value(of work: @escaping @Sendable () async -> Value) async -> Value {
    let run = state.withLock { state -> Task<Value, Never> in
      if let next = state.next { return next }
      let earlier = state.running
      let run = Task {
        if let earlier {
          _ = await earlier.value
          self.begin()
        }
        let value = await work()
        self.end()
        return value
      }
      if earlier == nil { state.running = run } else { state.next = run }
      return run
    }
    return await run.value
  }

  private func begin() { state.withLock { state in (state.running, state.next) = (state.next, nil) } }

  private func end() { state.withLock { $0.running = nil } }
}
