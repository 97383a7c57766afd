import StoreKit

/// A product request as an `async` function.
public final class ProductLoader: NSObject, SKProductsRequestDelegate, @unchecked Sendable {
  private let lock = NSLock()
  private var continuation: CheckedContinuation<SKProductsResponse, any Error>?

  public static func products(
    _ identifiers: Set<String>,
    by makeRequest: @Sendable (Set<String>) -> SKProductsRequest = { SKProductsRequest(productIdentifiers: $0) }
  ) async throws -> SKProductsResponse {
    let loader = ProductLoader()
    let request = makeRequest(identifiers)
    defer { withExtendedLifetime((loader, request)) {} }
    return try await withCheckedThrowingContinuation { continuation in
      loader.continuation = continuation
      request.delegate = loader
      request.start()
    }
  }

  public func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    take()?.resume(returning: response)
  }

  public func request(_ request: SKRequest, didFailWithError error: any Error) { take()?.resume(throwing: error) }

  private func take() -> CheckedContinuation<SKProductsResponse, any Error>? {
    lock.withLock {
      defer { continuation = nil }
      return continuation
    }
  }
}
