import StoreModel

/// That a customer has, or had, a product.
public struct LedgerEntitlement: Hashable, Codable, Sendable {
  public let product: ProductID
  /// The purchase's original transaction id, or the key of an operator's grant.
  public let source: String
  public let origin: Origin
  public let begun: StoreDate
  /// Nil for ever. Of an auto-renewable subscription, the end of the period that counts.
  public let accessUntil: StoreDate?
  /// When it was taken back; nil while it was not.
  public let ended: StoreDate?
  public let endReason: EndReason?

  /// How it came to be.
  public enum Origin: String, CaseIterable, Hashable, Codable, Sendable {
    case purchased
    case familyShared
    /// An operator's.
    case granted
  }

  /// Why it ended.
  public enum EndReason: String, CaseIterable, Hashable, Codable, Sendable {
    case refunded
    /// Another installation of the same store account has it now.
    case transferred
    /// An operator took it back.
    case revoked
    /// Another plan of the same subscription took its place.
    case replaced
    /// The customer's data were erased.
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
