import Foundation
import StoreModel

/// The right to download what was bought. Download links are bound to it, and die with it.
public struct Delivery: Hashable, Codable, Sendable {
  public let id: UUID
  public let app: BundleID
  public let product: ProductID
  /// The purchase's claim, or the key of an operator's grant.
  public let source: String
  public let begun: StoreDate
  public let ended: StoreDate?
  /// What can be downloaded now; nil where nothing has been published.
  public let content: ProductContent?
}
