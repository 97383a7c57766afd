import Foundation
import StoreModel

extension Ledger {
  /// Returns the listed products of an app, with their files.
  public func catalog(of app: BundleID) async throws -> ProductCatalog {
    _ = try settings(of: app)
    return try await database.read { transaction in
      let rows = try transaction.rows(
        """
        SELECT \(PublishedProduct.columns), n.name AS entitlement FROM product p \(LedgerProduct.joiningNames)
        WHERE p.app = $1 AND p.listed = 1 ORDER BY p.id
        """, app)
      let products = try LedgerProduct.grouped(rows).map { row, names in
        let product = try LedgerProduct(row, names)
        return ListedProduct(
          product: product,
          content: try transaction.content(of: product.id, app: app, version: row.integer("content_version")))
      }
      let revision = try transaction.row("SELECT revision FROM catalog WHERE app = $1", app)?.integer("revision")
      return ProductCatalog(revision: revision ?? 0, products: products)
    }
  }

  /// Returns a page of all products of an app, also of those that are not listed, by id.
  ///
  /// - Parameters:
  ///   - after: ``LedgerPage/next`` of the previous page; nil for the first page.
  ///   - limit: 1 to 1,000.
  /// - Throws: ``LedgerError``: `unknownApp`, `invalid`.
  public func products(
    of app: BundleID, after: [String]? = nil, limit: Int
  ) async throws -> LedgerPage<PublishedProduct> {
    _ = try settings(of: app)
    try LedgerPage<PublishedProduct>.check(limit: limit)
    let id = try LedgerPage<PublishedProduct>.parts(of: after, count: 1)?[0] ?? ""
    let found = try await database.read { transaction in
      let rows = try transaction.rows(
        """
        SELECT \(PublishedProduct.columns), n.name AS entitlement
        FROM (SELECT * FROM product WHERE app = $1 AND id > $2 ORDER BY id LIMIT $3) AS p \(LedgerProduct.joiningNames)
        ORDER BY p.id
        """, app, id, limit + 1)
      return try LedgerProduct.grouped(rows).map { try PublishedProduct($0, $1) }
    }
    let page = Array(found.prefix(limit))
    return LedgerPage(elements: page, next: found.count > limit ? page.last.map { [$0.product.id.rawValue] } : nil)
  }

  /// Returns a product, with the files of its current version.
  ///
  /// - Throws: ``LedgerError``: `unknownApp`, `unknownProduct`.
  public func product(
    _ id: ProductID, of app: BundleID
  ) async throws -> (product: PublishedProduct, content: ProductContent?) {
    _ = try settings(of: app)
    return try await database.read { transaction in
      let rows = try transaction.rows(
        """
        SELECT \(PublishedProduct.columns), n.name AS entitlement FROM product p \(LedgerProduct.joiningNames)
        WHERE p.app = $1 AND p.id = $2
        """, app, id)
      guard let (row, names) = try LedgerProduct.grouped(rows).first else { throw LedgerError.unknownProduct(id) }
      let product = try PublishedProduct(row, names)
      return (product, try transaction.content(of: id, app: app, version: product.contentVersion))
    }
  }

  /// Adds a product to the catalog, or updates it. Publishing an identical product changes nothing.
  ///
  /// - Parameter reason: recorded in the audit log.
  /// - Throws: ``LedgerError/productTypeFixed(_:_:)``, ``LedgerError/invalid(_:)``.
  public func publish(
    _ product: LedgerProduct, app: BundleID, by operatorName: String, reason: String? = nil
  ) async throws {
    _ = try settings(of: app)
    try product.check()
    let (localisations, now) = (try product.localisationsText(), clock.now)
    let detail = ([localisations] + product.entitlements.map(\.rawValue)).joined(separator: " ")
    let entry = audit(operatorName, "publishProduct", subject: "\(app) \(product.id)", detail, reason: reason)
    try await database.write(locking: [.catalog(app)]) { transaction in
      if let known = try transaction.product(product.id, app: app) {
        // `==` considers canonically equivalent texts equal.
        guard try known != product || !known.localisationsText().hasBytes(of: localisations) else { return }
        if known.type != product.type, try transaction.isClaimedOrGranted(product.id, app: app) {
          throw LedgerError.productTypeFixed(product.id, known.type)
        }
      }
      try transaction.execute(
        """
        INSERT INTO product (app, id, type, unit, credits, access_days, localisations, listed, changed)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (app, id) DO UPDATE SET type = excluded.type, unit = excluded.unit, credits = excluded.credits,
          access_days = excluded.access_days, localisations = excluded.localisations, listed = excluded.listed, changed = excluded.changed
        """, app, product.id, product.type, product.credits?.unit, product.credits?.amount ?? 0,
        product.accessDays, localisations, product.isListed, now)
      try transaction.execute("DELETE FROM product_entitlement WHERE app = $1 AND product = $2", app, product.id)
      for name in product.entitlements {
        try transaction.execute(
          "INSERT INTO product_entitlement (app, product, name) VALUES ($1, $2, $3)", app, product.id, name)
      }
      try transaction.countRevision(of: app)
      try transaction.record(entry)
    }
  }

  /// Publishes files as the current version of a product, all at once. The files must already be in the content store.
  ///
  /// Publishing identical files changes nothing and returns the current version.
  ///
  /// - Parameters:
  ///   - files: 1 to 1,000 files with different names.
  ///   - reason: recorded in the audit log.
  /// - Returns: the files and their version.
  /// - Throws: ``LedgerError/unknownApp(_:)``, ``LedgerError/unknownProduct(_:)``, ``LedgerError/invalid(_:)``.
  public func publish(
    files: [ContentFile], of product: ProductID, app: BundleID, by operatorName: String, reason: String? = nil
  ) async throws -> ProductContent {
    _ = try settings(of: app)
    for file in files { try file.check() }
    guard (1...1000).contains(files.count), Set(files.map(\.name)).count == files.count else {
      throw LedgerError.invalid("A version of a product has 1 to 1,000 files, no two of the same name.")
    }
    let (files, now) = (files.sorted { $0.name < $1.name }, clock.now)
    let entry = audit(
      operatorName, "publishContent", subject: "\(app) \(product)",
      files.map { "\($0.name) \($0.sha256)" }.joined(separator: "\n"), reason: reason)
    return try await database.write(locking: [.catalog(app)]) { transaction in
      guard let version = try transaction.contentVersion(of: product, app: app) else {
        throw LedgerError.unknownProduct(product)
      }
      if let current = try transaction.content(of: product, app: app, version: version), current.files == files,
        zip(current.files, files).allSatisfy({ $0.name.hasBytes(of: $1.name) })
      {
        return current
      }
      for file in files {
        try transaction.execute(
          """
          INSERT INTO content_file (app, product, version, name, size, sha256, media_type, published)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
          """, app, product, version + 1, file.name, file.size, file.sha256, file.mediaType, now)
      }
      try transaction.execute(
        "UPDATE product SET content_version = $3, changed = $4 WHERE app = $1 AND id = $2", app, product, version + 1,
        now)
      try transaction.countRevision(of: app)
      try transaction.record(entry)
      return ProductContent(version: version + 1, files: files)
    }
  }

  /// Returns the digests of all files of all versions of all products. The content store must keep these files.
  public func contentDigests() async throws -> Set<String> {
    try await database.read { transaction in
      Set(try transaction.rows("SELECT DISTINCT sha256 FROM content_file").map { try $0.text("sha256") })
    }
  }
}

extension LedgerTransaction {
  func product(_ id: ProductID, app: BundleID) throws -> LedgerProduct? {
    let rows = try rows(
      """
      SELECT \(PublishedProduct.columns), n.name AS entitlement FROM product p \(LedgerProduct.joiningNames)
      WHERE p.app = $1 AND p.id = $2
      """, app, id)
    return try LedgerProduct.grouped(rows).first.map { try LedgerProduct($0, $1) }
  }

  /// Returns whether a product has a claim or an entitlement. It may scan many rows; it is called only for a change of type.
  fileprivate func isClaimedOrGranted(_ product: ProductID, app: BundleID) throws -> Bool {
    try row(
      """
      SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM claim WHERE app = $1 AND product = $2)
        OR EXISTS (SELECT 1 FROM entitlement WHERE app = $1 AND product = $2)
      """, app, product) != nil
  }

  /// Returns the version of a product's files: nil for an unknown product, 0 for a product without files.
  func contentVersion(of product: ProductID, app: BundleID) throws -> Int64? {
    try row("SELECT content_version FROM product WHERE app = $1 AND id = $2", app, product)?
      .integer("content_version")
  }

  /// Returns the files of a version, or nil if there are none.
  func content(of product: ProductID, app: BundleID, version: Int64) throws -> ProductContent? {
    guard version > 0 else { return nil }
    let files = try rows(
      """
      SELECT name, size, sha256, media_type FROM content_file
      WHERE app = $1 AND product = $2 AND version = $3 ORDER BY name
      """, app, product, version
    ).map { row in
      ContentFile(
        name: try row.text("name"), size: try row.integer("size"), sha256: try row.text("sha256"),
        mediaType: try row.text("media_type"))
    }
    // The files are sorted here, because each database has its own collation.
    return files.isEmpty ? nil : ProductContent(version: version, files: files.sorted { $0.name < $1.name })
  }

  fileprivate func countRevision(of app: BundleID) throws {
    try execute(
      """
      INSERT INTO catalog (app, revision) VALUES ($1, 1)
      ON CONFLICT (app) DO UPDATE SET revision = catalog.revision + 1
      """, app)
  }
}

extension PublishedProduct {
  /// The columns of a product `p`.
  fileprivate static let columns =
    "p.id, p.type, p.unit, p.credits, p.access_days, p.localisations, p.listed, p.content_version, p.changed"

  fileprivate init(_ row: SQLRow, _ names: [EntitlementName]) throws {
    self.init(
      product: try LedgerProduct(row, names), contentVersion: try row.integer("content_version"),
      changed: try row.date("changed"))
  }
}

extension LedgerProduct.Credits {
  /// Reads the credits in a row of `product`; nil if it has none.
  init?(_ row: SQLRow) throws {
    guard try row.optionalText("unit") != nil else { return nil }
    self.init(unit: try row.value("unit"), amount: try row.integer("credits"))
  }
}

extension LedgerProduct {
  /// Joins a product `p` with its names `n`: one row for each name, or one row without a name.
  fileprivate static let joiningNames = "LEFT JOIN product_entitlement n ON n.app = p.app AND n.product = p.id"

  /// Returns the first row of each product, with the product's names.
  ///
  /// - Parameter rows: the rows of ``joiningNames``. Those of one product follow one another.
  fileprivate static func grouped(_ rows: [SQLRow]) throws -> [(row: SQLRow, names: [EntitlementName])] {
    var groups: [(row: SQLRow, names: [EntitlementName])] = []
    var last: ProductID?
    for row in rows {
      let id: ProductID = try row.identifier("id")
      if last != id { groups.append((row, [])) }
      last = id
      guard try row.optionalText("entitlement") != nil else { continue }
      groups[groups.count - 1].names.append(try row.value("entitlement"))
    }
    return groups
  }

  fileprivate init(_ row: SQLRow, _ names: [EntitlementName]) throws {
    let localisations = Data(try row.text("localisations").utf8)
    self.init(
      id: try row.identifier("id"), type: try row.value("type"), credits: try Credits(row),
      accessDays: try row.optionalInteger("access_days"),
      localisations: try JSONDecoder().decode([String: Localisation].self, from: localisations),
      isListed: try row.flag("listed"), entitlements: names)
  }

  fileprivate func localisationsText() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return String(decoding: try encoder.encode(localisations), as: UTF8.self)
  }
}
