import StoreModel

extension Ledger {
  /// Returns what a customer has in an app under each name of an entitlement, by name. A name is among them as soon as the customer
  /// has had a product with it.
  ///
  /// - Throws: ``LedgerError/unknownApp(_:)``.
  public func namedEntitlements(of customer: CustomerID, app: BundleID) async throws -> [NamedEntitlement] {
    _ = try settings(of: app)
    let access = now
    return try await readAccess { transaction in
      try transaction.expectScheduledPasses(of: customer)
      return try transaction.namedEntitlements(of: customer, app: app, at: access)
    }
  }

  /// Returns a page of a customer's entitlements, by product and source, all of one moment. The first page also has what the customer
  /// has under each name.
  ///
  /// - Parameters:
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  public func entitlementPage(
    of customer: CustomerID, app: BundleID, after: [String]? = nil, limit: Int
  ) async throws -> EntitlementPage {
    _ = try settings(of: app)
    try LedgerPage<LedgerEntitlement>.check(limit: limit)
    let (product, source) = try LedgerPage<LedgerEntitlement>.parts(of: after)
    let access = now
    return try await readAccess { transaction in
      try transaction.expectScheduledPasses(of: customer)
      let found = try transaction.entitlements(of: customer, app: app, after: (product, source), limit: limit + 1)
      let named = after == nil ? try transaction.namedEntitlements(of: customer, app: app, at: access) : nil
      return EntitlementPage(date: access, page: Ledger.page(of: found, limit: limit), named: named)
    }
  }

  /// Returns the page of entitlements that begins with these.
  ///
  /// - Parameter found: one more than the page has, if there is another page.
  static func page(of found: [LedgerEntitlement], limit: Int) -> LedgerPage<LedgerEntitlement> {
    let page = Array(found.prefix(limit))
    let next = found.count > limit ? page.last.map { [$0.product.rawValue, $0.source] } : nil
    return LedgerPage(elements: page, next: next)
  }
}

extension LedgerTransaction {
  /// Returns what a customer has in an app under each name, in one statement.
  func namedEntitlements(of customer: CustomerID, app: BundleID, at date: StoreDate) throws -> [NamedEntitlement] {
    NamedEntitlement.all(
      try rows(NamedProduct.query("n.app = $3", at: "$2"), customer, date, app).map(NamedProduct.init))
  }

  /// Returns what a customer has in every app under each name.
  func namedProducts(of customer: CustomerID, at date: StoreDate) throws -> [NamedProduct] {
    try rows(NamedProduct.query("TRUE", at: "$2"), customer, date).map(NamedProduct.init)
  }
}

extension NamedProduct {
  /// Selects a row for each product of the customer `$1` that has a name, and for each of its names.
  ///
  /// The names come first, so that only entitlements to products with names are read. `CROSS JOIN` keeps SQLite in this order.
  ///
  /// - Parameters:
  ///   - condition: which names `n` count.
  ///   - date: the argument with the date of the store's clock.
  fileprivate static func query(_ condition: String, at date: String) -> String {
    let isActive = LedgerEntitlement.isActive(at: date)
    return """
      SELECT e.app, e.product, n.name,
        CAST(MAX(CASE WHEN \(isActive) THEN 1 ELSE 0 END) AS BIGINT) AS active,
        CAST(MAX(CASE WHEN e.ended IS NULL AND e.access_until IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS endless,
        MAX(CASE WHEN \(isActive) THEN e.access_until END) AS access_until,
        MAX(CASE WHEN e.ended IS NULL OR e.access_until < e.ended THEN e.access_until ELSE e.ended END) AS last_end
      FROM product_entitlement n CROSS JOIN entitlement e
      WHERE \(condition) AND e.customer = $1 AND e.app = n.app AND e.product = n.product
      GROUP BY e.app, e.product, n.name
      """
  }

  fileprivate init(_ row: SQLRow) throws {
    self.init(
      app: try row.identifier("app"), name: try row.value("name"), product: try row.identifier("product"),
      isActive: try row.flag("active"), isEndless: try row.flag("endless"),
      accessUntil: try row.optionalDate("access_until"), ended: try row.optionalDate("last_end"))
  }
}
