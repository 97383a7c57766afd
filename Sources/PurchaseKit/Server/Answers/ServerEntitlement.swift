import Foundation

/// That a customer has, or had, a product, by the server's books.
public struct ServerEntitlement: Hashable, Decodable, Sendable {
  public let productId: String
  /// The purchase's original transaction id, or the key of an operator's grant.
  public let source: String
  /// `purchased`, `familyShared` or `granted`.
  public let origin: String
  public let begun: Date
  /// Nil for ever.
  public let accessUntil: Date?
  /// When it was taken back; nil while it was not.
  public let ended: Date?
  /// `refunded`, `transferred`, `revoked` or `erased`.
  public let endReason: String?
  /// Whether the customer has it now, by the server's clock.
  public let isActive: Bool
}
