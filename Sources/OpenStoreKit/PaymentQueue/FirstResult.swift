import StoreModel

/// The first of several results. Later results are ignored.
///
/// Unlike a task group, it does not wait for the others, which may not react to their cancellation.
final class FirstResult<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var result: Result<Value, any Error>?
    var waiting: CheckedContinuation<Value, any Error>?
  }

  private let state = LockedValue(State())

  /// - Returns: whether it is the first result.
  @discardableResult
  func give(_ result: Result<Value, any Error>) -> Bool {
    let (isFirst, waiting) = state.withLock { state in
      guard state.result == nil else { return (false, nil as CheckedContinuation<Value, any Error>?) }
      state.result = result
      return (true, state.waiting)
    }
    waiting?.resume(with: result)
    return isFirst
  }

  /// Whether there is no result yet.
  var isOpen: Bool { state.withLock { $0.result == nil } }

  /// Waits for the first result. May be called once.
  private func wait() async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let result = state.withLock { state in
        state.waiting = continuation
        return state.result
      }
      if let result { continuation.resume(with: result) }
    }
  }

  /// Waits for the first result: one that is given, or the cancellation of this task. May be called once.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await wait()
    } onCancel: {
      give(.failure(CancellationError()))
    }
  }

  /// Performs `work`, and waits for the first result: that of `work`, one that is given, or the cancellation of this
  /// task. If `work` is not the first, it is cancelled.
  func value(or work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    let task = Task {
      do { give(.success(try await work())) } catch { give(.failure(error)) }
    }
    defer { task.cancel() }
    return try await withTaskCancellationHandler {
      try await wait()
    } onCancel: {
      give(.failure(CancellationError()))
    }
  }
}
