import Foundation

/// The products that a device requested, and the ids that the store does not sell.
public struct ProductList: Hashable, Codable, Sendable {
  public let products: [ProductListing]
  public let invalidProductIDs: [ProductID]

  public init(products: [ProductListing], invalidProductIDs: [ProductID]) {
    self.products = products
    self.invalidProductIDs = invalidProductIDs
  }
}
