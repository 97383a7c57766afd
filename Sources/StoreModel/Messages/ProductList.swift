import Foundation

/// The products of a request, and the ids the store does not know.
public struct ProductList: Hashable, Codable, Sendable {
  public let products: [ProductListing]
  public let invalidProductIDs: [ProductID]

  public init(products: [ProductListing], invalidProductIDs: [ProductID]) {
    self.products = products
    self.invalidProductIDs = invalidProductIDs
  }
}
