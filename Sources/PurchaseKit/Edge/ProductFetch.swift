import StoreKit

/// Makes one product request and waits for its response.
final class ProductFetch: NSObject, SKProductsRequestDelegate, Sendable {
  private let wait: RequestWait<SKProductsResponse>

  init(_ request: SKProductsRequest) {
    wait = RequestWait(request)
    super.init()
    request.delegate = self
  }

  /// - Throws: the request's error, or `CancellationError` when the task is cancelled.
  func answer() async throws -> SKProductsResponse {
    // The request does not retain its delegate.
    defer { withExtendedLifetime(self) {} }
    return try await wait.value()
  }

  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    wait.succeeded(response)
  }

  func request(_ request: SKRequest, didFailWithError error: any Error) { wait.failed(error) }
}
