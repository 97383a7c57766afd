import Foundation
import GRDB
import StoreModel

extension EmulatedAppStore {
  /// Puts an app on sale: its catalog becomes exactly that of `catalog`, in the order of the files.
  ///
  /// Purchases made before are untouched. A customer named `customer`, without a password, is made in each
  /// environment of a store that has none, in the storefront the first file names. Prices are in that storefront's currency.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if the bundle id is empty, a product is defined twice, or the storefront is not
  ///   known. The store is then unchanged.
  @discardableResult
  public func serve(_ bundleID: BundleID, catalog: [StoreKitConfiguration]) async throws -> StoreApp {
    guard !bundleID.rawValue.isEmpty else { throw AppStoreEmulatorError.emptyName("bundle id") }
    let products = catalog.flatMap(\.products)
    var seen = Set<ProductID>()
    for product in products where !seen.insert(product.productID).inserted {
      throw AppStoreEmulatorError.duplicateProduct(product.productID)
    }
    let storefront = catalog.lazy.compactMap(\.settings.storefront).first ?? Storefront.usa.countryCode
    guard let pricedIn = Storefront(countryCode: storefront) else {
      throw AppStoreEmulatorError.unknownStorefront(storefront)
    }
    let defaults = CatalogDefaults(
      storefront: pricedIn, locale: catalog.lazy.compactMap(\.settings.locale).first)
    return try await database.write { database in
      let app = try StoreLife.fetch(database).identity.app(
        bundleID,
        // An app without a number of its own could not be told from one in the sandbox.
        appAppleID: catalog.lazy.compactMap(\.settings.applicationInternalID).compactMap { Int64($0) }.first { $0 > 0 },
        catalog: defaults)
      try app.upsert(database)
      try ProductRow.filter(Column("bundleID") == bundleID.rawValue).deleteAll(database)
      for (position, product) in products.enumerated() {
        try ProductRow(bundleID: bundleID, productID: product.productID, position: position, definition: product)
          .insert(database)
      }
      if try Customer.fetchCount(database) == 0 {
        try database.execute(sql: "UPDATE store SET storefrontCountryCode = ?", arguments: [storefront])
        try Self.addFirstCustomers(storefront: storefront, in: database)
      }
      return app
    }
  }

  /// The customer every new store has.
  public static let firstCustomer: AccountName = "customer"

  static func addFirstCustomers(storefront: String, in database: Database) throws {
    for environment in [StoreEnvironment.production, .sandbox] {
      let customer = Customer(environment: environment, name: firstCustomer, storefrontCountryCode: storefront)
      try customer.insert(database)
      try CustomerNumber.assign(to: customer, in: database)
    }
  }

  /// All apps on sale, by bundle id.
  public func apps() async throws -> [StoreApp] {
    try await database.read { try StoreApp.order(Column("bundleID")).fetchAll($0) }
  }

  /// - Throws: ``AppStoreEmulatorError/unknownApp(_:known:)``.
  public func app(_ bundleID: BundleID) async throws -> StoreApp {
    try await database.read { try Self.app(bundleID, in: $0) }
  }

  static func app(_ bundleID: BundleID, in database: Database) throws -> StoreApp {
    guard let app = try StoreApp.lookUp(["bundleID": bundleID.rawValue], in: database) else {
      let known = try String.fetchAll(database, sql: "SELECT bundleID FROM app ORDER BY bundleID")
      throw AppStoreEmulatorError.unknownApp(bundleID, known: known.map(BundleID.init(rawValue:)))
    }
    return app
  }
}
