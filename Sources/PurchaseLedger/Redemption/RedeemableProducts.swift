import StoreModel

/// What a redemption needs to know of a product in the catalog.
struct RedeemableProduct: Hashable, Sendable {
  let id: ProductID
  let type: ProductType
  let credits: LedgerProduct.Credits?
  let accessDays: Int64?
  /// Whether files of the product were published. Only then do its claims get deliveries.
  let hasFiles: Bool
}

extension RedeemableProduct {
  fileprivate init(_ row: SQLRow) throws {
    self.init(
      id: try row.identifier("id"), type: try row.value("type"), credits: try LedgerProduct.Credits(row),
      accessDays: try row.optionalInteger("access_days"), hasFiles: try row.integer("content_version") > 0)
  }
}

/// The products that were looked up in a transaction.
struct RedeemableProducts {
  /// At most this many products are requested in advance. A proof with more has many products that are not redeemed.
  private static let mostInAdvance = 4

  private let transaction: LedgerTransaction
  private let app: BundleID
  private var requested: [ProductID: PendingAnswer] = [:]
  private var known: [ProductID: RedeemableProduct?] = [:]

  init(_ transaction: LedgerTransaction, app: BundleID) {
    self.transaction = transaction
    self.app = app
  }

  /// Requests products together with the next statement, if they are few.
  mutating func requestInAdvance(_ ids: Set<ProductID>) throws {
    guard ids.count <= Self.mostInAdvance else { return }
    for id in ids where requested[id] == nil { requested[id] = try request(id) }
  }

  /// Returns a product; nil if it was not published.
  mutating func product(_ id: ProductID) throws -> RedeemableProduct? {
    if let known = known[id] { return known }
    let product = try (requested[id] ?? request(id)).row.map(RedeemableProduct.init)
    known[id] = .some(product)
    return product
  }

  /// Returns those of several products that were published. Their rows are requested together.
  mutating func products(_ ids: Set<ProductID>) throws -> [ProductID: RedeemableProduct] {
    for id in ids where known[id] == nil && requested[id] == nil { requested[id] = try request(id) }
    var products: [ProductID: RedeemableProduct] = [:]
    for id in ids { products[id] = try product(id) }
    return products
  }

  /// Returns the type of a purchase's product: that of the proof or, if the proof does not contain it, that of the catalog.
  mutating func type(of purchase: ProvenPurchase) throws -> ProductType? {
    try purchase.type ?? product(purchase.productID)?.type
  }

  private func request(_ id: ProductID) throws -> PendingAnswer {
    try transaction.later(
      "SELECT id, type, unit, credits, access_days, content_version FROM product WHERE app = $1 AND id = $2", app, id)
  }
}
