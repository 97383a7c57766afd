import StoreModel

extension StoreUnitOfWork {
  var plans: Plans { Plans(work: self) }
}

/// The plans of subscription groups, as customers would buy them now.
struct Plans {
  let work: StoreUnitOfWork

  /// The plan of a product as a customer would buy it now; nil if the product is not on sale, or the customer was
  /// deleted.
  func plan(_ productID: ProductID, for scope: Scope) throws -> SubscriptionPlan? {
    guard let customer = try work.customers.find(scope.account, scope.environment)?.customer,
      let product = try work.catalog.productOnSale(productID, of: scope.bundleID), let terms = product.subscription
    else { return nil }
    let listing = product.listing(
      in: try customer.storefront, of: try work.catalog.app(scope.bundleID).catalogDefaults)
    return SubscriptionPlan(
      productID: productID, level: terms.groupLevel, period: terms.period, price: listing.price,
      offers: listing.subscription?.offers ?? [])
  }

  /// The plan of a subscription's next period; nil if its product is not on sale, or the customer was deleted.
  func next(of row: SubscriptionRow) throws -> SubscriptionPlan? {
    try plan(row.state.renewalProductID, for: row.scope)
  }

  /// The price of a subscription's next period; nil if its product is not on sale.
  func nextPrice(of row: SubscriptionRow) throws -> Price? { try next(of: row).map(row.state.nextPrice) }
}
