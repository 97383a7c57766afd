import StoreModel

extension StoreUnitOfWork {
  /// The products that an installation requests, with the prices of its storefront.
  ///
  /// - Throws: ``StoreRefusal``.
  func products(_ identifiers: [ProductID], for installation: Installation) throws -> ProductList {
    let storefront = try installations.storefront(of: installation)
    let defaults = try catalog.app(installation.bundleID).catalogDefaults
    var products: [ProductListing] = []
    var invalid: [ProductID] = []
    for identifier in identifiers {
      if let product = try catalog.productOnSale(identifier, of: installation.bundleID) {
        products.append(product.listing(in: storefront, of: defaults, locale: settings.locale))
      } else {
        invalid.append(identifier)
      }
    }
    return ProductList(products: products, invalidProductIDs: invalid)
  }

  /// Starts a promoted purchase: the app continues a purchase that the customer began in the App Store.
  ///
  /// - Throws: ``AppStoreEmulatorError``; ``StoreRefusal`` if the app does not sell the product.
  func beginPromotedPurchase(of productID: ProductID, on installationID: InstallationID) throws {
    let installation = try installations.installation(installationID)
    guard try catalog.productOnSale(productID, of: installation.bundleID) != nil else {
      throw StoreRefusal(.productNotAvailable, "\(installation.bundleID) does not sell \(productID).")
    }
    try events.record(.promotedPurchase(productID, installation))
  }
}

extension ProductList {
  /// The maximum number of products in one request.
  static let maximumCount = 1_000
}
