import StoreModel

extension StoreUnitOfWork {
  /// The products that an installation requests, with the prices of its storefront, and then the other products of a
  /// subscription group that are on sale.
  ///
  /// - Parameter groupID: nil for no group. A group without products on sale adds none.
  /// - Throws: ``StoreRefusal``.
  func products(
    _ identifiers: [ProductID], of groupID: SubscriptionGroupID?, for installation: Installation
  ) throws -> ProductList {
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
    if let groupID {
      let requested = Set(identifiers)
      products += try catalog.subscriptionsOnSale(in: groupID, of: installation.bundleID)
        .filter { !requested.contains($0.productID) }
        .map { $0.listing(in: storefront, of: defaults, locale: settings.locale) }
    }
    return ProductList(products: products, invalidProductIDs: invalid)
  }

  /// Starts a promoted purchase: the app continues a purchase that the customer began in the App Store.
  ///
  /// - Parameter offer: a win-back offer of the product, which the customer chose there; nil for none. Whether the customer
  ///   can have it is decided when the app buys.
  /// - Throws: ``AppStoreEmulatorError``; ``StoreRefusal`` if the app does not sell the product, or the product has no such
  ///   offer.
  func beginPromotedPurchase(
    of productID: ProductID, offer: PaymentOffer?, on installationID: InstallationID
  ) throws {
    let installation = try installations.installation(installationID)
    guard let product = try catalog.productOnSale(productID, of: installation.bundleID) else {
      throw StoreRefusal(.productNotAvailable, "\(installation.bundleID) does not sell \(productID).")
    }
    if let offer {
      let hasOffer =
        product.subscription?.offers.contains {
          $0.kind == .winBack && $0.kind == offer.kind && $0.identifier == offer.identifier
        } ?? false
      guard hasOffer else {
        throw StoreRefusal(.offerNotAvailable, "\(productID) has no win-back offer \(offer.identifier).")
      }
    }
    try events.record(.promotedPurchase(productID, offer: offer, installation))
  }
}

extension ProductList {
  /// The maximum number of products in one request.
  static let maximumCount = 1_000
}
