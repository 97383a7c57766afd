import StoreModel

/// A customer's right to a product, which may have ended.
public struct LedgerEntitlement: Hashable, Codable, Sendable {
  public let product: ProductID
  /// The original transaction id of the purchase, or `grant:` and the key of an operator's grant.
  public let source: String
  public let origin: Origin
  public let begun: StoreDate
  /// When access expires; nil if it never expires. For an auto-renewable subscription, this is the end of the current
  /// period.
  public let accessUntil: StoreDate?
  /// When the entitlement was ended, for the reason ``endReason``; nil if it was not ended. The expiration of access
  /// does not set this date.
  public let ended: StoreDate?
  public let endReason: EndReason?

  /// How the customer got the product.
  public enum Origin: String, CaseIterable, Hashable, Codable, Sendable {
    case purchased
    case familyShared
    /// Given by an operator.
    case granted
  }

  /// Why an entitlement ended.
  public enum EndReason: String, CaseIterable, Hashable, Codable, Sendable {
    case refunded
    /// Another customer has the claim now: an installation of the same store account, or the target of an operator's move.
    case transferred
    /// An operator revoked it.
    case revoked
    /// The customer changed to another plan of the same subscription.
    case replaced
    /// The customer's data was erased.
    case erased
  }

  /// Whether the customer has the product at `date`.
  public func isActive(at date: StoreDate) -> Bool { ended == nil && accessUntil.map { date < $0 } != false }
}

extension LedgerEntitlement.Origin: SQLValueConvertible {}
extension LedgerEntitlement.EndReason: SQLValueConvertible {}

extension LedgerEntitlement {
  init(_ row: SQLRow) throws {
    self.init(
      product: try row.identifier("product"), source: try row.text("source"), origin: try row.value("origin"),
      begun: try row.date("begun"), accessUntil: try row.optionalDate("access_until"),
      ended: try row.optionalDate("ended"),
      endReason: try row.optionalText("end_reason") == nil ? nil : try row.value("end_reason"))
  }
}
