import StoreKit

/// What the store said of products so far. Its last word on a product counts.
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
      for identifier in response.invalidProductIdentifiers {
        byIdentifier[identifier] = nil
        unknown.insert(identifier)
      }
    }
  }
}
