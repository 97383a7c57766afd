import StoreKit
import StoreModel

/// Makes one product request and waits for its response.
final class ProductFetch: NSObject, SKProductsRequestDelegate, Sendable {
  private typealias Continuation = CheckedContinuation<SKProductsResponse, any Error>

  // Requests may be started and cancelled on any thread, but StoreKit does not declare them Sendable.
  private nonisolated(unsafe) let request: SKProductsRequest
  private let waiting = LockedValue<Continuation?>(nil)

  init(_ request: SKProductsRequest) {
    self.request = request
    super.init()
  }

  /// - Throws: the request's error, or `CancellationError` when the task is cancelled.
  func answer() async throws -> SKProductsResponse {
    // The request does not retain its delegate.
    defer { withExtendedLifetime(self) {} }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        if Task.isCancelled { return cancel() }
        request.delegate = self
        request.start()
      }
    } onCancel: {
      cancel()
    }
  }

  private func cancel() {
    request.cancel()
    take()?.resume(throwing: CancellationError())
  }

  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    take()?.resume(returning: response)
  }

  func request(_ request: SKRequest, didFailWithError error: any Error) {
    take()?.resume(throwing: error)
  }

  private func take() -> Continuation? {
    waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
  }
}
