/// The store's responses about products, in the current storefront. The last response about a product is used.
struct FetchedProducts: Sendable {
  private(set) var products: [String: StoreProduct] = [:]
  /// The identifiers that the store listed as invalid.
  private(set) var invalid: Set<String> = []
  /// The number of storefront changes. It is read before a request, and compared when the response arrives.
  private(set) var storefront = 0

  /// Removes all responses: the prices of another storefront are wrong in this one.
  ///
  /// - Returns: the identifiers of the removed products, valid and invalid.
  mutating func changeStorefront() -> Set<String> {
    defer { (products, invalid, storefront) = ([:], [], storefront + 1) }
    return invalid.union(products.keys)
  }

  /// Adds a response, unless the storefront has changed since the request was made.
  mutating func add(_ answer: (products: [StoreProduct], invalid: Set<String>), of storefront: Int) {
    guard storefront == self.storefront else { return }
    for product in answer.products {
      products[product.productIdentifier] = product
      invalid.remove(product.productIdentifier)
    }
    for identifier in answer.invalid {
      products[identifier] = nil
      invalid.insert(identifier)
    }
  }
}
