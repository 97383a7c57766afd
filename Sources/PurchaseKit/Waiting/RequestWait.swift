import StoreKit
import StoreModel

/// Starts one request of StoreKit, and waits for the result that the request's delegate passes on.
final class RequestWait<Value: Sendable>: Sendable {
  private typealias Continuation = CheckedContinuation<Value, any Error>

  // Requests may be started and cancelled on any thread, but StoreKit does not declare them Sendable.
  private nonisolated(unsafe) let request: SKRequest
  private let waiting = LockedValue<Continuation?>(nil)

  init(_ request: SKRequest) { self.request = request }

  /// Starts the request, and returns its result. May be called once. The caller retains the request's delegate.
  ///
  /// - Throws: the error of ``failed(_:)``, or `CancellationError` when the task is cancelled.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        if Task.isCancelled { return cancel() }
        request.start()
      }
    } onCancel: {
      cancel()
    }
  }

  func succeeded(_ value: Value) { take()?.resume(returning: value) }

  func failed(_ error: any Error) { take()?.resume(throwing: error) }

  private func cancel() {
    request.cancel()
    failed(CancellationError())
  }

  private func take() -> Continuation? {
    waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
  }
}
