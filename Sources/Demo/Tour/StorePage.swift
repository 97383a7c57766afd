/// A page of the store's console that a play shows.
enum StorePage: Hashable, Sendable {
  /// The page of the tour's customer.
  case customer
  case faults
  case product(String)
  /// The oldest purchase of a product that is not refunded.
  case transaction(of: String)
  /// The requests of a call, such as `verifyReceipt`.
  case requests(String)
}
