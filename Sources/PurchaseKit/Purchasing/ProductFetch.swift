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

  func answer() async throws -> SKProductsResponse {
    // The request does not keep its delegate.
    defer { withExtendedLifetime(self) {} }
    return try await withCheckedThrowingContinuation { continuation in
      lock.withLock { self.continuation = continuation }
      request.delegate = self
      request.start()
    }
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

/// What the store said of products so far; prices once loaded are not asked for again.
final class FetchedProducts: @unchecked Sendable {
  private let lock = NSLock()
  private var byIdentifier: [String: SKProduct] = [:]
  private var unknown: Set<String> = []

  var products: [String: SKProduct] { lock.withLock { byIdentifier } }
  var invalid: Set<String> { lock.withLock { unknown } }

  func keep(_ response: SKProductsResponse) {
    lock.withLock {
      for product in response.products {
        byIdentifier[product.productIdentifier] = product
        unknown.remove(product.productIdentifier)
      }
      unknown.formUnion(response.invalidProductIdentifiers)
    }
  }
}
