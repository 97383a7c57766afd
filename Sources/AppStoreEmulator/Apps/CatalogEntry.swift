import GRDB
import StoreModel

/// What of a product changes while it is on sale. Nil: it stays as it is.
public struct ProductChange: Hashable, Sendable {
  /// In thousandths of a unit of the currency of the catalog's storefront.
  public var price: Milliunits?
  /// The prices that replace ``price`` in single storefronts, each in its storefront's currency, by alpha-3 country code: all of
  /// them.
  public var prices: [String: Milliunits]?
  /// False: no app is told of it any more, and nobody can buy it.
  public var isOnSale: Bool?

  public init(price: Milliunits? = nil, prices: [String: Milliunits]? = nil, isOnSale: Bool? = nil) {
    self.price = price
    self.prices = prices
    self.isOnSale = isOnSale
  }
}

/// A product of an app's catalog, on sale or not.
public struct CatalogEntry: Hashable, Sendable {
  public let product: ProductDefinition
  public let isOnSale: Bool
}

extension EmulatedAppStore {
  /// Changes the price of a product, takes it off sale, or puts it back.
  ///
  /// What was bought stays as it was bought. A quote at another price is stale, and one for a product that is not on sale
  /// is refused.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such app or product, a price is out of range, or a storefront is not
  ///   known.
  @discardableResult
  public func changeProduct(
    _ productID: ProductID, of bundleID: BundleID, _ change: ProductChange
  ) async throws -> CatalogEntry {
    for price in [change.price].compactMap({ $0 }) + (change.prices ?? [:]).values {
      guard Self.prices.contains(price) else { throw AppStoreEmulatorError.priceOutOfRange(price) }
    }
    for code in (change.prices ?? [:]).keys.sorted() where Storefront(countryCode: code) == nil {
      throw AppStoreEmulatorError.unknownStorefront(code)
    }
    return try await database.write { database in
      _ = try Self.app(bundleID, in: database)
      guard var row = try ProductRow.find(productID, of: bundleID, in: database) else {
        throw AppStoreEmulatorError.unknownProduct(productID, bundleID)
      }
      row.definition.price = change.price ?? row.definition.price
      row.definition.prices = change.prices ?? row.definition.prices
      row.isOnSale = change.isOnSale ?? row.isOnSale
      try row.update(database)
      return CatalogEntry(product: row.definition, isOnSale: row.isOnSale)
    }
  }

  /// As in a configuration file: less than a trillion.
  static let prices = Milliunits.zero...Milliunits(999_999_999_999_999)

  /// The catalog of an app, in its order.
  public func catalog(of bundleID: BundleID) async throws -> [CatalogEntry] {
    try await database.read { database in
      _ = try Self.app(bundleID, in: database)
      return try ProductRow.filter(Column("bundleID") == bundleID.rawValue).order(Column("position"))
        .fetchAll(database).map { CatalogEntry(product: $0.definition, isOnSale: $0.isOnSale) }
    }
  }
}

extension EmulatedAppStore {
  /// A product of an app's catalog, on sale or not.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such app or product.
  package func catalogEntry(_ productID: ProductID, of bundleID: BundleID) async throws -> CatalogEntry {
    try await database.read { database in
      _ = try Self.app(bundleID, in: database)
      guard let row = try ProductRow.find(productID, of: bundleID, in: database) else {
        throw AppStoreEmulatorError.unknownProduct(productID, bundleID)
      }
      return CatalogEntry(product: row.definition, isOnSale: row.isOnSale)
    }
  }

  /// Those of `products` that are in the catalog of an app, on sale or not.
  package func products(
    _ products: Set<ProductID>, of bundleID: BundleID
  ) async throws -> [ProductID: ProductDefinition] {
    try await database.read { database in
      try products.reduce(into: [:]) { found, product in
        found[product] = try ProductRow.find(product, of: bundleID, in: database)?.definition
      }
    }
  }
}
