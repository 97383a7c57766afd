import Foundation

/// A customer's current or past entitlement to a product, as the server has recorded it.
public struct ServerEntitlement: Hashable, Decodable, Sendable {
  public let productId: String
  /// The purchase's original transaction identifier, or `grant:` and the key of an operator's grant.
  public let source: String
  /// `purchased`, `familyShared` or `granted`.
  public let origin: String
  public let begun: Date
  /// The end of the access; nil for no end. For an auto-renewable subscription it includes a grace period.
  public let accessUntil: Date?
  /// The expiration date of an auto-renewable subscription's current period; nil for other products. In a grace period it has
  /// passed, and ``accessUntil`` is later.
  public let expires: Date?
  /// How the subscription continues; nil if the store has not stated it.
  public let renewal: Renewal?
  /// When the entitlement was ended; nil if it was not.
  public let ended: Date?
  /// `refunded`, `transferred`, `replaced`, `revoked` or `erased`; nil if the entitlement was not ended.
  public let endReason: String?
  /// Whether the customer has access now, by the server's clock.
  public let isActive: Bool

  /// How an auto-renewable subscription continues after its current period.
  public struct Renewal: Hashable, Decodable, Sendable {
    /// The product of the next period.
    public let product: String
    public let isAutoRenewOn: Bool
    /// Whether the store is trying to charge a failed renewal. Also true in a grace period.
    public let isInBillingRetry: Bool
    /// The date until which the customer keeps access although the renewal has failed; nil if there is no grace period.
    public let gracePeriodEnd: Date?
    /// Why the subscription has expired or will expire, by Apple's numbers 1 to 5; nil if it is unknown.
    public let expirationIntent: Int?
  }
}
