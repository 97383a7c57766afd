import Dispatch
import StoreModel

/// Stops the transaction of a task that is cancelled, for example because the time of its request is up.
///
/// The transaction ends at its next statement, and is rolled back. A database server is also asked to end the statement
/// that it runs. A commit that has begun is completed.
public final class TransactionCancellation: Sendable {
  private struct State: Sendable {
    var isCancelled = false
    var interrupt: (@Sendable () -> Void)?
    var wasInterrupted = false
  }

  private let state = LockedValue(State())

  private init() {}

  /// Runs `work`, and cancels its transactions when the calling task is cancelled.
  public static func run<Value>(
    _ work: (TransactionCancellation) async throws -> Value
  ) async rethrows -> Value {
    let cancellation = TransactionCancellation()
    return try await withTaskCancellationHandler {
      try await work(cancellation)
    } onCancel: {
      cancellation.cancel()
    }
  }

  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether a statement was interrupted. The interruption may arrive late, and then ends the next statement of the
  /// connection.
  public var wasInterrupted: Bool { state.withLock { $0.wasInterrupted } }

  /// - Throws: `CancellationError` if the task was cancelled.
  public func check() throws { if isCancelled { throw CancellationError() } }

  /// Sets the function that interrupts running statements, until ``endInterrupting()``. It may block.
  public func beginInterrupting(_ interrupt: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.interrupt = interrupt
      return state.isCancelled
    }
    if isLate { cancel() }
  }

  /// Returns when no interruption is under way. There is none afterwards.
  public func endInterrupting() { state.withLock { $0.interrupt = nil } }

  private func cancel() {
    state.withLock { $0.isCancelled = true }
    // The cancelling thread belongs to Swift concurrency, and must not be blocked.
    DispatchQueue.global().async { [self] in
      state.withLock { state in
        guard let interrupt = state.interrupt else { return }
        state.interrupt = nil
        state.wasInterrupted = true
        interrupt()
      }
    }
  }
}
