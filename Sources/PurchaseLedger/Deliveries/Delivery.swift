import Foundation
import StoreModel

/// The right to download the files of a purchase. Download links belong to a delivery, and become invalid when it ends.
public struct Delivery: Hashable, Codable, Sendable {
  public let id: UUID
  public let app: BundleID
  public let product: ProductID
  /// The claim's id, or `grant:` and the key of an operator's grant.
  public let source: String
  public let begun: StoreDate
  public let ended: StoreDate?
  /// The current files; nil if none are published.
  public let content: ProductContent?
}
