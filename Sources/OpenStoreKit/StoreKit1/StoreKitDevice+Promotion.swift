import StoreModel

extension StoreKitDevice {
  func promotionVisibility(of product: ProductID) async throws -> SKProductStorePromotionVisibility {
    _ = try await listings(of: [product])
    return try journal.promotionVisibility(of: product)
  }

  func setPromotionVisibility(
    _ visibility: SKProductStorePromotionVisibility, of product: ProductID
  ) async throws {
    _ = try await listings(of: [product])
    try journal.setPromotionVisibility(visibility, of: product)
  }

  /// The products whose position is overridden, in order. Products that the store no longer sells are omitted.
  func promotionOrder() async throws -> [SKProduct] {
    let order = try journal.promotionOrder()
    guard !order.isEmpty else { return [] }
    let list = try await session.perform { try await $0.products(order, for: $1) }
    let listings = Dictionary(list.products.map { ($0.productID, $0) }, uniquingKeysWith: { first, _ in first })
    return order.compactMap { listings[$0] }.map(SKProduct.init)
  }

  func setPromotionOrder(_ products: [ProductID]) async throws {
    var seen: Set<ProductID> = []
    let order = products.filter { seen.insert($0).inserted }
    _ = try await listings(of: order)
    try journal.setPromotionOrder(order)
  }

  /// Requests products from the store. Throws if the store does not sell all of them.
  private func listings(of products: [ProductID]) async throws -> [ProductListing] {
    guard !products.isEmpty else { return [] }
    let list = try await session.perform { try await $0.products(products, for: $1) }
    guard list.invalidProductIDs.isEmpty else {
      let names = list.invalidProductIDs.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw PaymentFailure(
        .storeProductNotAvailable, "The promotion cannot be changed.", underlying: "The store has no product \(names).")
    }
    return list.products
  }
}
