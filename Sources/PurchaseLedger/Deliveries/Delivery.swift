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

/// The rule that decides whether the files of a delivery can be downloaded, in SQL.
extension Delivery {
  /// The deliveries `d`, each with the entitlement `e` of its source. A consumable's delivery has none.
  static let withEntitlement = """
    delivery d
    LEFT JOIN entitlement e ON e.customer = d.customer AND e.app = d.app AND e.product = d.product AND e.source = d.source
    """

  /// The condition that a delivery `d` has not ended, and that the customer has access by its entitlement `e`. A delivery without
  /// an entitlement does not expire.
  ///
  /// - Parameter date: the argument with the date by the store's clock, such as `$5`.
  static func isDownloadable(at date: String) -> String {
    "d.ended IS NULL AND (e.customer IS NULL OR \(LedgerEntitlement.isActive(at: date)))"
  }
}
