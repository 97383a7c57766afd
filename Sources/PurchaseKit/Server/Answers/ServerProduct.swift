import Foundation

/// The developer's master list of products (A3). Prices are the store's and not here.
public struct ServerProductList: Hashable, Codable, Sendable {
  public let bundleId: String
  /// Higher for a later list.
  public let revision: Int64
  public let products: [ServerProduct]
}

/// A product on the master list.
public struct ServerProduct: Hashable, Codable, Sendable {
  public let productId: String
  /// `Consumable`, `Non-Consumable`, `Auto-Renewable Subscription` or `Non-Renewing Subscription`.
  public let type: String
  /// The developer's own words, where there are any.
  public let name: String?
  public let description: String?
  /// Which language they are in (BCP 47).
  public let language: String?
  public let credits: Credits?
  /// Nil for a product without files.
  public let content: Content?

  /// What one of a consumable gives.
  public struct Credits: Hashable, Codable, Sendable {
    public let unit: String
    public let amount: Int64
  }

  /// What comes with a product.
  public struct Content: Hashable, Codable, Sendable {
    public let version: Int64
    /// Of all files, in bytes.
    public let size: Int64
    public let files: Int
  }
}
