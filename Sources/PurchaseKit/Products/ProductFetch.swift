import StoreKit

/// One product request, as a value to wait for.
final class ProductFetch: NSObject, SKProductsRequestDelegate, @unchecked Sendable {
  private let request: SKProductsRequest
  private let lock = NSLock()
  private var continuation: CheckedContinuation<SKProductsResponse, any Error>?

  init(_ request: SKProductsRequest) {
    self.request = request
    super.init()
  }

  /// - Throws: the request's error, or `CancellationError` when the task is cancelled.
  func answer() async throws -> SKProductsResponse {
    // The request does not keep its delegate.
    defer { withExtendedLifetime(self) {} }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        lock.withLock { self.continuation = continuation }
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

  private func take() -> CheckedContinuation<SKProductsResponse, any Error>? {
    lock.withLock {
      defer { continuation = nil }
      return continuation
    }
  }
}
