/// Wakes callers that wait for a change, such as one of a store's database.
///
/// A caller first reads ``count``, then reads what may change, and then waits for a higher count. So it misses no change that
/// happens before it begins to wait.
package final class ChangeSignal: Sendable {
  private struct State: Sendable {
    var count = 0
    var waiters = WaitQueue<Void>()
    var isClosed = false
  }

  private let state = LockedValue(State())
  private let machine: any MachineClock

  package init(machine: any MachineClock) { self.machine = machine }

  /// The number of changes so far.
  package var count: Int { state.withLock { $0.count } }

  /// Whether ``close()`` was called, so that no more changes follow.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Wakes all callers. Later calls of ``wait(beyond:seconds:)`` return at once.
  package func close() {
    state.withLock { $0.isClosed = true }
    notify()
  }

  package func notify() {
    let waiters = state.withLock { state in
      state.count += 1
      return state.waiters.removeAll()
    }
    for waiter in waiters { waiter.resume(()) }
  }

  /// Returns once ``count`` is higher than `count`, after `seconds`, when the task is cancelled, or when the signal is
  /// closed.
  package func wait(beyond count: Int, seconds: Double) async {
    let ticket = WaitQueue<Void>.Ticket()
    var timeout: Task<Void, Never>?
    defer { timeout?.cancel() }
    await state.wait(in: \.waiters, cancelled: (), as: ticket) { current in
      guard current.count == count, !current.isClosed else { return () }
      // The timer needs the lock to resume the caller. The lock is held until the caller waits, so the timer cannot be
      // too early.
      timeout = Task { [state, machine] in
        try? await machine.sleep(for: .milliseconds(Int((seconds * 1000).rounded(.up))))
        let waiter = state.withLock { $0.waiters.remove(ticket) }
        waiter?.resume(())
      }
      return nil
    }
  }
}
