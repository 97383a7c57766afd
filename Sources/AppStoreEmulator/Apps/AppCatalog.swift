import Foundation
import GRDB
import StoreModel

extension StoreUnitOfWork {
  var catalog: AppCatalog { AppCatalog(work: self) }
}

/// The apps that the store serves, and the products they sell.
struct AppCatalog {
  let work: StoreUnitOfWork

  /// - Throws: ``AppStoreEmulatorError/unknownApp(_:known:)``.
  func app(_ bundleID: BundleID) throws -> StoreApp {
    guard let app = try find(bundleID) else {
      let known = try String.fetchAll(work.database, sql: "SELECT bundleID FROM app ORDER BY bundleID LIMIT 11")
      throw AppStoreEmulatorError.unknownApp(bundleID, known: known.map(BundleID.init(rawValue:)))
    }
    return app
  }

  func find(_ bundleID: BundleID) throws -> StoreApp? {
    if let app = work.apps[bundleID] { return app }
    let app = try StoreApp.lookUp(["bundleID": bundleID.rawValue], in: work.database)
    work.apps[bundleID] = app
    return app
  }

  /// All apps, ordered by bundle id.
  func apps() throws -> [StoreApp] { try StoreApp.order(Column("bundleID")).fetchAll(work.database) }

  /// A product of an app's catalog, whether it is on sale or not.
  func product(_ productID: ProductID, of bundleID: BundleID) throws -> ProductRow? {
    if let row = work.products[productID], row.bundleID == bundleID { return row }
    let row = try ProductRow.lookUp(
      ["bundleID": bundleID.rawValue, "productID": productID.rawValue], in: work.database)
    work.products[productID] = row
    return row
  }

  /// A product of an app's catalog; nil if it is not on sale.
  func productOnSale(_ productID: ProductID, of bundleID: BundleID) throws -> ProductDefinition? {
    guard let row = try product(productID, of: bundleID), row.isOnSale else { return nil }
    return row.definition
  }

  /// The plans of a subscription group that are on sale, in the order of the catalog.
  func subscriptionsOnSale(in groupID: SubscriptionGroupID, of bundleID: BundleID) throws -> [ProductDefinition] {
    try entries(of: bundleID).filter { $0.isOnSale && $0.product.subscription?.groupID == groupID }.map(\.product)
  }

  /// - Throws: ``AppStoreEmulatorError`` if there is no such app or product.
  func knownProduct(_ productID: ProductID, of bundleID: BundleID) throws -> ProductRow {
    _ = try app(bundleID)
    guard let row = try product(productID, of: bundleID) else {
      throw AppStoreEmulatorError.unknownProduct(productID, bundleID)
    }
    return row
  }

  /// The catalog of an app, in the order of its configuration files.
  func entries(of bundleID: BundleID) throws -> [CatalogEntry] {
    _ = try app(bundleID)
    return try ProductRow.filter(Column("bundleID") == bundleID.rawValue).order(Column("position"))
      .fetchAll(work.database).map(CatalogEntry.init)
  }

  /// Replaces the catalog of an app. Adds the app if it is new.
  func replace(with catalog: ServedCatalog) throws -> StoreApp {
    var app = work.identity.app(
      catalog.bundleID, appAppleID: catalog.appAppleID, catalog: catalog.defaults,
      renewalRules: catalog.renewalRules, offerKey: catalog.offerKey)
    app.notificationURLs = try find(catalog.bundleID)?.notificationURLs ?? notificationURLsOfNewApp()
    try app.upsert(work.database)
    work.apps[app.bundleID] = app
    work.products = [:]
    try work.database.cachedStatement(sql: "DELETE FROM product WHERE bundleID = ?").execute(
      arguments: [app.bundleID.rawValue])
    for (position, product) in catalog.products.enumerated() {
      try ProductRow(
        bundleID: app.bundleID, productID: product.productID, position: position, definition: product
      ).insert(work.database)
    }
    return app
  }

  private func notificationURLsOfNewApp() throws -> NotificationURLs {
    let url = try StoreRow.fetch(work.database).notificationURL.flatMap { URL(string: $0) }
    return NotificationURLs(production: url, sandbox: url)
  }

  /// Changes how an app's subscriptions renew.
  func setRenewalRules(_ rules: RenewalRules, of bundleID: BundleID) throws {
    if case .seconds(let seconds) = rules.gracePeriod, !RenewalRules.graceSeconds.contains(seconds) {
      throw AppStoreEmulatorError.gracePeriodOutOfRange(seconds)
    }
    var app = try app(bundleID)
    app.renewalRules = rules
    try app.update(work.database)
    work.apps[bundleID] = app
  }

  /// Changes a product. Earlier transactions keep their price.
  func change(_ productID: ProductID, of bundleID: BundleID, _ change: ProductChange) throws -> CatalogEntry {
    try change.check()
    var row = try knownProduct(productID, of: bundleID)
    row.definition.price = change.price ?? row.definition.price
    row.definition.prices = change.prices ?? row.definition.prices
    row.isOnSale = change.isOnSale ?? row.isOnSale
    try row.update(work.database)
    work.products[productID] = row
    return CatalogEntry(row)
  }
}

/// A change of a product. Properties that are nil change nothing.
public struct ProductChange: Hashable, Sendable {
  /// The price in thousandths of a unit of the currency of the catalog's storefront.
  public var price: Milliunits?
  /// The prices that replace ``price`` in individual storefronts, in the currency of each storefront, by alpha-3
  /// country code. They replace all earlier prices of individual storefronts.
  public var prices: [String: Milliunits]?
  /// If false, apps no longer receive the product, and customers cannot buy it.
  public var isOnSale: Bool?

  public init(price: Milliunits? = nil, prices: [String: Milliunits]? = nil, isOnSale: Bool? = nil) {
    self.price = price
    self.prices = prices
    self.isOnSale = isOnSale
  }

  func check() throws(AppStoreEmulatorError) {
    for price in [price].compactMap({ $0 }) + (prices ?? [:]).values {
      guard ProductDefinition.prices.contains(price) else { throw .priceOutOfRange(price) }
    }
    for code in (prices ?? [:]).keys.sorted() where Territory(countryCode: code) == nil {
      throw .unknownStorefront(code)
    }
  }
}

/// A product of an app's catalog, whether it is on sale or not.
public struct CatalogEntry: Hashable, Sendable {
  public let product: ProductDefinition
  public let isOnSale: Bool
}

extension CatalogEntry {
  init(_ row: ProductRow) { self.init(product: row.definition, isOnSale: row.isOnSale) }
}
