import StoreModel

/// A purchase as the phone's settings show it.
struct ShownPurchase: Hashable, Sendable {
  let transactionID: TransactionID
  /// The name of the product.
  let name: String
  let quantity: Int
  let date: StoreDate
  let isRefunded: Bool
}
