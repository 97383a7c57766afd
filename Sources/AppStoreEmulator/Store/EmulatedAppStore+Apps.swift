import StoreModel

extension EmulatedAppStore {
  /// Adds an app that sells the products of `catalog`, or replaces the catalog of an existing app. Products keep the
  /// order of the files.
  ///
  /// Earlier purchases do not change. Prices are in the currency of the first file's storefront. If the store has no
  /// customers, this adds one in each environment: named `customer`, without a password, and in that storefront.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if the bundle id is empty, a product is defined twice, or a storefront is
  ///   unknown (``CatalogProblem``). The store is then unchanged.
  @discardableResult
  public func serve(_ bundleID: BundleID, catalog: [StoreKitConfiguration]) async throws -> StoreApp {
    let served = try ServedCatalog(bundleID, files: catalog)
    return try await database.write { try served.serve(in: $0) }
  }

  /// All apps that the store serves, ordered by bundle id.
  public func apps() async throws -> [StoreApp] { try await database.read { try $0.catalog.apps() } }

  /// - Throws: ``AppStoreEmulatorError/unknownApp(_:known:)``.
  public func app(_ bundleID: BundleID) async throws -> StoreApp {
    try await database.read { try $0.catalog.app(bundleID) }
  }

  /// Changes the price of a product, or whether it is on sale.
  ///
  /// Earlier transactions keep their price. Quotes with the old price become stale. Quotes for a product that is not on
  /// sale are refused.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such app or product, a price is out of range, or a storefront
  ///   is unknown.
  @discardableResult
  public func changeProduct(
    _ productID: ProductID, of bundleID: BundleID, _ change: ProductChange
  ) async throws -> CatalogEntry {
    try await database.write { try $0.catalog.change(productID, of: bundleID, change) }
  }

  /// The catalog of an app, in the order of its configuration files.
  public func catalog(of bundleID: BundleID) async throws -> [CatalogEntry] {
    try await database.read { try $0.catalog.entries(of: bundleID) }
  }

  /// A product of an app's catalog, whether it is on sale or not.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such app or product.
  package func catalogEntry(_ productID: ProductID, of bundleID: BundleID) async throws -> CatalogEntry {
    try await database.read { CatalogEntry(try $0.catalog.knownProduct(productID, of: bundleID)) }
  }

  /// The products of `products` that are in the catalog of an app, whether they are on sale or not.
  package func products(
    _ products: Set<ProductID>, of bundleID: BundleID
  ) async throws -> [ProductID: ProductDefinition] {
    try await database.read { work in
      try products.reduce(into: [:]) { found, product in
        found[product] = try work.catalog.product(product, of: bundleID)?.definition
      }
    }
  }
}

extension ServedCatalog {
  /// Replaces the catalog of the app, and adds the first customers to a store without any.
  func serve(in work: StoreUnitOfWork) throws -> StoreApp {
    let app = try work.catalog.replace(with: self)
    try work.customers.addFirstCustomersIfNone(storefront: defaults.storefront.countryCode)
    return app
  }
}
