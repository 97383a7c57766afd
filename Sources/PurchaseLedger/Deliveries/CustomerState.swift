import Foundation
import StoreModel

/// A page of what a customer has in an app: entitlements, deliveries under way, and all balances.
///
/// Documentation/purchase-server.md, "The customer's state", says what belongs to it and why.
public struct CustomerState: Hashable, Sendable {
  /// The date at which access was judged, by the store's clock. An entitlement can end by time alone.
  public let date: StoreDate
  public let credits: CreditBalances
  /// By product and source, including ended ones.
  public let entitlements: [LedgerEntitlement]
  /// By source and id.
  public let deliveries: [Delivery]
  /// What the customer has under each name of an entitlement, by name; nil on all pages but the first.
  public let named: [NamedEntitlement]?
  /// The key after which the next page begins; nil on the last page.
  public let next: [String]?

  /// A delivery that the customer can download now, without its files.
  public struct Delivery: Hashable, Sendable {
    public let id: UUID
    public let product: ProductID
    public let source: String
    /// The version of the product's current files; at least 1.
    public let version: Int64
  }

  /// The position in both lists of a state.
  struct Position {
    var (product, entitlement) = ("", "")
    var (source, delivery) = ("", "")

    /// - Throws: ``LedgerError/invalid(_:)`` if the key has another number of parts.
    init(after key: [String]?) throws(LedgerError) {
      guard let key = try LedgerPage<Delivery>.parts(of: key, count: 4) else { return }
      (product, entitlement, source, delivery) = (key[0], key[1], key[2], key[3])
    }

    mutating func pass(_ entitlements: [LedgerEntitlement], _ deliveries: [Delivery]) {
      if let last = entitlements.last { (product, entitlement) = (last.product.rawValue, last.source) }
      if let last = deliveries.last { (source, delivery) = (last.source, last.id.uuidString.lowercased()) }
    }

    var key: [String] { [product, entitlement, source, delivery] }
  }
}

extension Ledger {
  /// Thrown inside the read of a state if files were published for an entitlement that has no delivery.
  private struct DeliveriesToBegin: Error {}

  /// Returns a page of a customer's state, all of one moment. As ``deliveries(of:app:after:limit:)`` does, it begins deliveries of
  /// files that were published only after an entitlement began.
  ///
  /// - Parameters:
  ///   - after: ``CustomerState/next`` of the previous page; nil for the first page.
  ///   - limit: the number of entitlements, and of deliveries: 1 to 1,000.
  /// - Throws: ``LedgerError/unknownCustomer(_:)`` if the customer was joined to another or erased; ``LedgerError/invalid(_:)``.
  public func state(
    of customer: CustomerID, app: BundleID, after: [String]? = nil, limit: Int = LedgerPage<Never>.largest
  ) async throws -> CustomerState {
    _ = try settings(of: app)
    try LedgerPage<LedgerEntitlement>.check(limit: limit)
    let position = try CustomerState.Position(after: after)
    while true {
      // Access may expire meanwhile. `beginDeliveries` uses a later date.
      let access = now
      do {
        return try await readAccess { transaction in
          guard let status = try transaction.status(of: customer), status.isActive else {
            throw LedgerError.unknownCustomer(customer)
          }
          if status.hasUnscheduledPasses { try transaction.expectScheduledPasses(of: customer) }
          if after == nil, try !transaction.undelivered(to: customer, app: app, at: access, limit: 1).isEmpty {
            throw DeliveriesToBegin()
          }
          return try transaction.state(
            of: customer, app: app, after: position, isFirst: after == nil, limit: limit, at: access)
        }
      } catch is DeliveriesToBegin {
        try await beginDeliveries(to: customer, app: app)
      }
    }
  }
}

extension LedgerTransaction {
  fileprivate func state(
    of customer: CustomerID, app: BundleID, after position: CustomerState.Position, isFirst: Bool, limit: Int,
    at now: StoreDate
  ) throws -> CustomerState {
    let entitlements = try entitlements(
      of: customer, app: app, after: (position.product, position.entitlement), limit: limit + 1)
    let deliveries = try deliveries(to: customer, app: app, after: position, limit: limit + 1, at: now)
    let page = (Array(entitlements.prefix(limit)), Array(deliveries.prefix(limit)))
    var next = position
    next.pass(page.0, page.1)
    // All entitlements to products with names are read for them, so later pages do not repeat them.
    let named = isFirst ? try namedEntitlements(of: customer, app: app, at: now) : nil
    return CustomerState(
      date: now, credits: try creditBalances(of: customer, app: app), entitlements: page.0, deliveries: page.1,
      named: named, next: entitlements.count > limit || deliveries.count > limit ? next.key : nil)
  }

  /// Returns the deliveries with files whose access has not expired, in one statement.
  private func deliveries(
    to customer: CustomerID, app: BundleID, after position: CustomerState.Position, limit: Int, at now: StoreDate
  ) throws -> [CustomerState.Delivery] {
    try rows(
      """
      SELECT d.id, d.product, d.source, p.content_version
      FROM \(Delivery.withEntitlement)
      JOIN product p ON p.app = d.app AND p.id = d.product AND p.content_version > 0
      WHERE d.customer = $1 AND d.app = $2 AND (d.source, d.id) > ($3, $4) AND \(Delivery.isDownloadable(at: "$5"))
      ORDER BY d.source, d.id LIMIT $6
      """, customer, app, position.source, position.delivery, now, limit
    ).map { row in
      CustomerState.Delivery(
        id: try row.uuid("id"), product: try row.identifier("product"), source: try row.text("source"),
        version: try row.integer("content_version"))
    }
  }
}
