import StoreModel

/// A customer's right to a product, which may have ended.
public struct LedgerEntitlement: Hashable, Codable, Sendable {
  public let product: ProductID
  /// The original transaction id of the purchase, or `grant:` and the key of an operator's grant.
  public let source: String
  public let origin: Origin
  public let begun: StoreDate
  /// When access ends; nil for never. For an auto-renewable subscription, the end of the current period or of the grace period
  /// after it.
  public let accessUntil: StoreDate?
  /// The expiration date of an auto-renewable subscription's current period; nil for other products. In a grace period it has
  /// passed, and ``accessUntil`` is later.
  public let expires: StoreDate?
  /// How the subscription continues after the current period; nil if the store has not stated it.
  public let renewal: Renewal?
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
    /// The claim belongs to another customer now: another installation has redeemed the purchase, or an operator has moved
    /// the claim.
    case transferred
    /// An operator revoked it.
    case revoked
    /// The customer changed to another plan of the same subscription.
    case replaced
    /// The customer's data was erased.
    case erased
  }

  /// How an auto-renewable subscription continues. The values are those of ``ProvenRenewal``.
  public struct Renewal: Hashable, Codable, Sendable {
    /// The product of the next period.
    public let product: ProductID
    public let isAutoRenewOn: Bool
    /// Whether the store is trying to charge a failed renewal. Also true in a grace period.
    public let isInBillingRetry: Bool
    public let gracePeriodEnd: StoreDate?
    public let expirationIntent: Int64?
  }

  /// Whether the customer has the product at `date`.
  public func isActive(at date: StoreDate) -> Bool { ended == nil && accessUntil.map { date < $0 } != false }
}

extension LedgerEntitlement.Origin: SQLValueConvertible {}
extension LedgerEntitlement.EndReason: SQLValueConvertible {}

extension LedgerEntitlement {
  /// Selects the columns of ``init(_:)`` and `app` from the table `entitlement`, which has the alias `e`.
  ///
  /// A renewal belongs to an entitlement only if it follows the claim's current period: the product and the end of access are
  /// those of one period. The environments are listed so that the claim is found by its primary key, and `IS TRUE` prevents the
  /// use of the index of the customer's claims. Otherwise, the database would read all claims of the app or customer.
  static let query = """
    SELECT e.app, e.product, e.source, e.origin, e.begun, e.access_until, e.ended, e.end_reason, c.access_until AS expires,
      r.product AS renewal_product, r.auto_renew, r.billing_retry, r.grace_until, r.expiration_intent
    FROM entitlement e
    LEFT JOIN claim c ON (c.customer = e.customer) IS TRUE AND c.app = e.app AND c.id = e.source
      AND c.product = e.product AND c.type = 'Auto-Renewable Subscription' AND c.environment IN ('Production', 'Sandbox', 'Xcode')
    LEFT JOIN subscription_renewal r ON r.app = c.app AND r.environment = c.environment AND r.claim = c.id
      AND EXISTS (
        SELECT 1 FROM claim_period p
        WHERE p.app = r.app AND p.environment = r.environment AND p.id = r.period AND p.claim = r.claim
          AND p.product = c.product AND p.access_until = c.access_until)
    """

  /// The condition of ``isActive(at:)-(StoreDate)`` in SQL, about the entitlement `e`.
  ///
  /// - Parameter date: the argument with the date, such as `$5`.
  static func isActive(at date: String) -> String {
    "e.ended IS NULL AND (e.access_until IS NULL OR e.access_until > \(date))"
  }

  init(_ row: SQLRow) throws {
    self.init(
      product: try row.identifier("product"), source: try row.text("source"), origin: try row.value("origin"),
      begun: try row.date("begun"), accessUntil: try row.optionalDate("access_until"),
      expires: try row.optionalDate("expires"),
      renewal: try row.optionalText("renewal_product") == nil ? nil : try Renewal(row),
      ended: try row.optionalDate("ended"),
      endReason: try row.optionalText("end_reason") == nil ? nil : try row.value("end_reason"))
  }
}

extension LedgerEntitlement.Renewal {
  fileprivate init(_ row: SQLRow) throws {
    self.init(
      product: try row.identifier("renewal_product"), isAutoRenewOn: try row.flag("auto_renew"),
      isInBillingRetry: try row.flag("billing_retry"), gracePeriodEnd: try row.optionalDate("grace_until"),
      expirationIntent: try row.optionalInteger("expiration_intent"))
  }
}
