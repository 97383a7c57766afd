import Foundation

/// The developer's master list of products, without prices, which only the store has.
public struct ServerProductList: Hashable, Codable, Sendable {
  public let bundleId: String
  /// Increases with each version of the list.
  public let revision: Int64
  public let products: [ServerProduct]
}

/// A product on the master list.
public struct ServerProduct: Hashable, Codable, Sendable {
  public let productId: String
  /// `Consumable`, `Non-Consumable`, `Auto-Renewable Subscription` or `Non-Renewing Subscription`.
  public let type: String
  /// The developer's name for the product, which may differ from the store's; nil if there is none.
  public let name: String?
  public let description: String?
  /// The language of `name` and `description` (BCP 47).
  public let language: String?
  public let credits: Credits?
  /// Nil for a product without files.
  public let content: Content?

  /// The credits that one unit of a consumable gives.
  public struct Credits: Hashable, Codable, Sendable {
    public let unit: String
    public let amount: Int64
  }

  /// The content that is delivered with a product.
  public struct Content: Hashable, Codable, Sendable {
    public let version: Int64
    /// The size of all files, in bytes.
    public let size: Int64
    public let files: Int
  }
}
