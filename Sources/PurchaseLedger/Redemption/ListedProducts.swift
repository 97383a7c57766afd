import StoreModel

/// The products of an app, each looked up once in a transaction.
struct ListedProducts {
  private let transaction: LedgerTransaction
  private let app: BundleID
  private var known: [ProductID: LedgerProduct?] = [:]

  init(_ transaction: LedgerTransaction, app: BundleID) {
    self.transaction = transaction
    self.app = app
  }

  /// Nil for one that is not on the list.
  mutating func product(_ id: ProductID) throws -> LedgerProduct? {
    if let known = known[id] { return known }
    let product = try transaction.product(id, app: app)
    known[id] = .some(product)
    return product
  }
}
