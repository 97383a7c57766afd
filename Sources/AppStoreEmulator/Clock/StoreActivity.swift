import StoreModel

/// Notifies listeners of every observable change in the store.
///
/// The objects that hold the state call ``note()``: ``RecordsObserver``, ``ActiveFaults``, ``RequestJournal`` and
/// ``StoreClock``. Other code that changes the store does not need to call it.
final class StoreActivity: Sendable {
  private struct State: Sendable {
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastListener = 0
    var isOver = false
  }

  private let state = LockedValue(State())

  /// Notifies the listeners. Called after the change can be observed.
  func note() {
    let listeners = state.withLock { Array($0.listeners.values) }
    for listener in listeners { listener.yield() }
  }

  /// A sequence with one element for all changes since the previous element. It ends when the store is closed.
  func changes() -> AsyncStream<Void> {
    let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number: Int? = state.withLock { state in
      if state.isOver { return nil }
      state.lastListener += 1
      state.listeners[state.lastListener] = listener
      return state.lastListener
    }
    guard let number else {
      listener.finish()
      return stream
    }
    listener.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[number] = nil } }
    return stream
  }

  var listenerCount: Int { state.withLock { $0.listeners.count } }

  func end() {
    let listeners = state.withLock { state in
      state.isOver = true
      return Array(state.listeners.values)
    }
    // The lock is not held here, because a listener that finishes is removed, which needs the lock.
    for listener in listeners { listener.finish() }
  }
}
