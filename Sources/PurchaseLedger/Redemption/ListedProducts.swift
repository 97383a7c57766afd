import StoreModel

/// A cache of the products that were looked up in a transaction.
struct ListedProducts {
  private let transaction: LedgerTransaction
  private let app: BundleID
  private var known: [ProductID: LedgerProduct?] = [:]

  init(_ transaction: LedgerTransaction, app: BundleID) {
    self.transaction = transaction
    self.app = app
  }

  /// Returns a product; nil if it was not published.
  mutating func product(_ id: ProductID) throws -> LedgerProduct? {
    if let known = known[id] { return known }
    let product = try transaction.product(id, app: app)
    known[id] = .some(product)
    return product
  }
}
