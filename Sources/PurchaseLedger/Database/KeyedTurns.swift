import StoreModel

/// Lets one task at a time work for each key. Further tasks for the same key wait, in the order of their arrival.
final class KeyedTurns<Key: Hashable & Sendable>: Sendable {
  fileprivate struct State: Sendable {
    var turns: [Key: Turn] = [:]
  }

  fileprivate struct Turn: Sendable {
    var waiting = WaitQueue<Bool>()
  }

  private let state = LockedValue(State())

  /// Runs `work` when all earlier tasks for the key have ended.
  ///
  /// - Throws: the error of `work`; `CancellationError` if the task is cancelled while it waits.
  func run<Value>(for key: Key, _ work: () async throws -> Value) async throws -> Value {
    let mayRun = await state.wait(in: \.[queueOf: key], cancelled: false) { state in
      if state.turns[key] != nil { return nil }
      state.turns[key] = Turn()
      return true
    }
    guard mayRun else { throw CancellationError() }
    defer { end(key) }
    return try await work()
  }

  private func end(_ key: Key) {
    let next = state.withLock { state in
      let next = state.turns[key]?.waiting.removeFirst()
      if next == nil { state.turns[key] = nil }
      return next
    }
    next?.resume(true)
  }
}

extension KeyedTurns.State {
  fileprivate subscript(queueOf key: Key) -> WaitQueue<Bool> {
    get { turns[key]?.waiting ?? WaitQueue() }
    set { if turns[key] != nil { turns[key]?.waiting = newValue } }
  }
}
