import StoreModel

extension Ledger {
  /// Returns all offerings of an app, by id. There are at most 100.
  ///
  /// - Throws: ``LedgerError/unknownApp(_:)``.
  public func offerings(of app: BundleID) async throws -> [PublishedOffering] {
    _ = try settings(of: app)
    return try await database.read { try $0.offerings(of: app) }
  }

  /// Adds an offering, or replaces it. If it is current, the app's other offerings are no longer current. Publishing an identical
  /// offering changes nothing.
  ///
  /// - Parameter reason: recorded in the audit log.
  /// - Returns: the stored offering.
  /// - Throws: ``LedgerError``: `unknownApp`, `unknownProduct`, `invalid`.
  @discardableResult
  public func publish(
    _ offering: Offering, app: BundleID, by operatorName: String, reason: String? = nil
  ) async throws -> PublishedOffering {
    _ = try settings(of: app)
    try offering.check()
    let now = clock.now
    let entry = audit(
      operatorName, "publishOffering", subject: "\(app) \(offering.id)", offering.detail, reason: reason)
    return try await database.write(locking: [.catalog(app)]) { transaction in
      let known = try transaction.offerings(of: app)
      if let same = known.first(where: { $0.offering.isStored(as: offering) }) { return same }
      guard known.count < Offering.most || known.contains(where: { $0.offering.id == offering.id }) else {
        throw LedgerError.invalid("An app has up to \(Offering.most) offerings. Remove one first.")
      }
      for product in offering.products {
        guard try transaction.contentVersion(of: product, app: app) != nil else {
          throw LedgerError.unknownProduct(product)
        }
      }
      try transaction.store(offering, app: app, now)
      try transaction.record(entry)
      guard let stored = try transaction.offerings(of: app).first(where: { $0.offering.id == offering.id }) else {
        throw LedgerDatabaseError.unexpectedRow("the offering was not stored")
      }
      return stored
    }
  }

  /// Removes an offering. If it was the current one, the app has no current offering.
  ///
  /// - Parameter reason: recorded in the audit log.
  /// - Throws: ``LedgerError``: `unknownApp`, `unknownOffering`.
  public func removeOffering(
    _ id: OfferingID, of app: BundleID, by operatorName: String, reason: String? = nil
  ) async throws {
    _ = try settings(of: app)
    let entry = audit(operatorName, "removeOffering", subject: "\(app) \(id)", "", reason: reason)
    try await database.write(locking: [.catalog(app)]) { transaction in
      try transaction.execute("DELETE FROM offering_product WHERE app = $1 AND offering = $2", app, id)
      guard try transaction.execute("DELETE FROM offering WHERE app = $1 AND id = $2", app, id) > 0 else {
        throw LedgerError.unknownOffering(id)
      }
      try transaction.record(entry)
    }
  }
}

extension Offering {
  /// The products and whether it is current, for the audit log.
  fileprivate var detail: String {
    (products.map(\.rawValue) + (isCurrent ? ["current"] : [])).joined(separator: " ")
  }
}

extension LedgerTransaction {
  /// Returns the offerings of an app, by id. The metadata is read once for each offering, not for each product.
  fileprivate func offerings(of app: BundleID) throws -> [PublishedOffering] {
    let offerings = try rows("SELECT id, metadata, is_current, changed FROM offering WHERE app = $1", app)
    guard !offerings.isEmpty else { return [] }
    let products = try rows(
      """
      SELECT o.offering, o.product, p.listed FROM offering_product o
      JOIN product p ON p.app = o.app AND p.id = o.product
      WHERE o.app = $1 ORDER BY o.offering, o.position
      """, app)
    var all: [String: [ProductID]] = [:]
    var unlisted: [String: Set<ProductID>] = [:]
    for row in products {
      let (offering, product): (String, ProductID) = (try row.text("offering"), try row.identifier("product"))
      all[offering, default: []].append(product)
      if try !row.flag("listed") { unlisted[offering, default: []].insert(product) }
    }
    return try offerings.map { row in
      let id: OfferingID = try row.value("id")
      let offering = Offering(
        id: id, products: all[id.rawValue] ?? [], metadata: try row.text("metadata"),
        isCurrent: try row.flag("is_current"))
      return PublishedOffering(
        offering: offering, unlisted: unlisted[id.rawValue] ?? [], changed: try row.date("changed"))
    }.sorted { $0.offering.id < $1.offering.id }
  }

  fileprivate func store(_ offering: Offering, app: BundleID, _ now: StoreDate) throws {
    if offering.isCurrent {
      // First, because the index allows one current offering.
      try execute(
        "UPDATE offering SET is_current = 0, changed = $3 WHERE app = $1 AND id <> $2 AND is_current = 1", app,
        offering.id, now)
    }
    try execute(
      """
      INSERT INTO offering (app, id, metadata, is_current, changed) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (app, id) DO UPDATE
      SET metadata = excluded.metadata, is_current = excluded.is_current, changed = excluded.changed
      """, app, offering.id, offering.metadata, offering.isCurrent, now)
    try execute("DELETE FROM offering_product WHERE app = $1 AND offering = $2", app, offering.id)
    for (position, product) in offering.products.enumerated() {
      try execute(
        "INSERT INTO offering_product (app, offering, position, product) VALUES ($1, $2, $3, $4)", app, offering.id,
        position, product)
    }
  }
}
