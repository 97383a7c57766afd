import Foundation

/// A customer's current or past entitlement to a product, as the server has recorded it.
public struct ServerEntitlement: Hashable, Decodable, Sendable {
  public let productId: String
  /// The purchase's original transaction identifier, or the key of an operator's grant.
  public let source: String
  /// `purchased`, `familyShared` or `granted`.
  public let origin: String
  public let begun: Date
  /// The end of the access; nil for no end.
  public let accessUntil: Date?
  /// When the entitlement was ended; nil if it was not.
  public let ended: Date?
  /// `refunded`, `transferred`, `revoked` or `erased`.
  public let endReason: String?
  /// Whether the customer has access now, by the server's clock.
  public let isActive: Bool
}
