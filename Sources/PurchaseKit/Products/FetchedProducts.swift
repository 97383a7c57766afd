import StoreKit

/// What the store said of products so far, in the storefront of now. Its last word on a product counts.
final class FetchedProducts: @unchecked Sendable {
  private let lock = NSLock()
  private var byIdentifier: [String: SKProduct] = [:]
  private var unknown: Set<String> = []
  private var number = 0

  var products: [String: SKProduct] { lock.withLock { byIdentifier } }
  var invalid: Set<String> { lock.withLock { unknown } }

  /// Which of the device's storefronts this is, by counting; to be noted before a request is made.
  var storefront: Int { lock.withLock { number } }

  /// Forgets what was said in another storefront: prices are no prices here.
  ///
  /// - Returns: the identifiers something was known of.
  func forget() -> Set<String> {
    lock.withLock {
      defer { (byIdentifier, unknown, number) = ([:], [], number + 1) }
      return unknown.union(byIdentifier.keys)
    }
  }

  /// Keeps an answer, unless the storefront is another one since it was asked for.
  func keep(_ response: SKProductsResponse, of storefront: Int) {
    lock.withLock {
      guard storefront == number else { return }
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
