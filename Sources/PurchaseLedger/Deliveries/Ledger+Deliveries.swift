import Foundation
import StoreModel

extension Ledger {
  /// Returns the deliveries that a customer may download now in an app. If files were published only after an
  /// entitlement began, this call begins its delivery.
  public func deliveries(of customer: CustomerID, app: BundleID) async throws -> [Delivery] {
    try await LedgerPage.all {
      try await deliveries(of: customer, app: app, after: $0, limit: LedgerPage<Never>.largest)
    }
  }

  /// Returns a page of these deliveries, by source. A page can have fewer than `limit`, because deliveries whose access has
  /// expired are left out.
  ///
  /// - Parameters:
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  public func deliveries(
    of customer: CustomerID, app: BundleID, after: [String]?, limit: Int
  ) async throws -> LedgerPage<Delivery> {
    _ = try settings(of: app)
    try LedgerPage<Delivery>.check(limit: limit)
    let (source, id) = try LedgerPage<Delivery>.parts(of: after)
    let access = now
    if after == nil { try await beginDeliveries(to: customer, app: app) }
    return try await readAccess { transaction in
      try transaction.expectScheduledPasses(of: customer)
      let rows = try transaction.rows(
        """
        SELECT \(Delivery.columns(at: "$6")) FROM \(Delivery.withEntitlement)
        WHERE d.customer = $1 AND d.app = $2 AND d.ended IS NULL AND (d.source, d.id) > ($3, $4)
        ORDER BY d.source, d.id LIMIT $5
        """, customer, app, source, id, limit + 1, access)
      let page = rows.prefix(limit)
      return LedgerPage(
        elements: try page.compactMap { row in
          try row.flag("downloadable") ? try transaction.delivery(row) : nil
        },
        next: rows.count > limit ? try page.last.map { [try $0.text("source"), try $0.text("id")] } : nil)
    }
  }

  /// The maximum number of deliveries that one transaction begins.
  private static let mostBegun = 200

  /// Begins the deliveries of entitlements whose product had no files when they began.
  func beginDeliveries(to customer: CustomerID, app: BundleID) async throws {
    let (access, now, makeUUID) = (self.now, clock.now, makeUUID)
    let most = Self.mostBegun
    var count: Int
    repeat {
      count = try await readAccess { transaction in
        try transaction.expectScheduledPasses(of: customer)
        return try transaction.undelivered(to: customer, app: app, at: access, limit: most).count
      }
      guard count > 0 else { return }
      try await database.write(locking: [.customer(customer)]) { transaction in
        for entitlement in try transaction.undelivered(to: customer, app: app, at: access, limit: most) {
          _ = try transaction.deliver(
            entitlement.product, app: app, source: entitlement.source, to: customer, id: makeUUID(), now)
        }
      }
    } while count == most
  }

  /// Returns a delivery by its id. The customer is not required, because download links contain only the delivery's id.
  ///
  /// - Throws: ``LedgerError/unknownDelivery``; ``LedgerError/deliveryEnded``, also if access has expired.
  public func delivery(_ id: UUID) async throws -> Delivery {
    let access = now
    return try await readAccess { transaction in
      let row = try transaction.row(
        "SELECT \(Delivery.columns(at: "$2")) FROM \(Delivery.withEntitlement) WHERE d.id = $1",
        id.uuidString.lowercased(), access)
      guard let row else { throw LedgerError.unknownDelivery }
      try transaction.expectScheduledPasses(of: row.customer("customer"))
      guard try row.flag("downloadable") else { throw LedgerError.deliveryEnded }
      return try transaction.delivery(row)
    }
  }

  /// Returns a file of a delivery. Older versions are included, so that a download can continue after a new version is
  /// published.
  ///
  /// - Returns: the file, or nil if that version has no such file.
  /// - Throws: as ``delivery(_:)``.
  public func file(of delivery: UUID, version: Int64, sha256: String) async throws -> ContentFile? {
    let delivery = try await self.delivery(delivery)
    return try await database.read { transaction in
      try transaction.content(of: delivery.product, app: delivery.app, version: version)?
        .files.first { $0.sha256 == sha256 }
    }
  }
}

extension LedgerTransaction {
  /// Returns the active entitlements that have no delivery although their product has files.
  func undelivered(
    to customer: CustomerID, app: BundleID, at now: StoreDate, limit: Int
  ) throws -> [LedgerEntitlement] {
    try rows(
      """
      \(LedgerEntitlement.query)
      JOIN product p ON p.app = e.app AND p.id = e.product AND p.content_version > 0
      WHERE e.customer = $1 AND e.app = $2 AND \(LedgerEntitlement.isActive(at: "$3"))
        AND NOT EXISTS (
          SELECT 1 FROM delivery d WHERE d.customer = e.customer AND d.app = e.app AND d.source = e.source
            AND d.product = e.product AND d.ended IS NULL)
      LIMIT $4
      """, customer, app, now, limit
    ).map(LedgerEntitlement.init)
  }

  fileprivate func delivery(_ row: SQLRow) throws -> Delivery {
    let (app, product): (BundleID, ProductID) = (try row.identifier("app"), try row.identifier("product"))
    let version = try contentVersion(of: product, app: app) ?? 0
    return Delivery(
      id: try row.uuid("id"), app: app, product: product, source: try row.text("source"),
      begun: try row.date("begun"), ended: try row.optionalDate("ended"),
      content: try content(of: product, app: app, version: version))
  }
}

extension Delivery {
  /// The columns of a delivery `d`, and whether it can be downloaded at a date.
  fileprivate static func columns(at date: String) -> String {
    """
    d.id, d.customer, d.app, d.product, d.source, d.begun, d.ended,
      CASE WHEN \(isDownloadable(at: date)) THEN 1 ELSE 0 END AS downloadable
    """
  }
}
