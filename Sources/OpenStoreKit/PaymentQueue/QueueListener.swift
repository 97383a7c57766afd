import StoreModel

/// Receives the changes of the queue, in the order in which they were committed.
protocol QueueListener: Sendable {
  /// Whether the app has an observer. Without one, nothing is sent to the store.
  var hasObservers: Bool { get }
  func updated(_ entries: [QueueEntry])
  func removed(_ sequences: [Int64])
  /// The restore has ended, and all restored transactions were reported. `error` is nil if it succeeded.
  func restoreEnded(_ error: (any Error)?)
  func storefrontChanged()
  /// Notifies all observers that the customer no longer owns the products. Returns when all observers were notified.
  func revoked(_ products: [ProductID]) async
  /// Returns the payment to add for a purchase that the customer began in the App Store (a promoted purchase); nil if
  /// the app does not want it now.
  func shouldAddStorePayment(for listing: ProductListing) async -> PaymentRequest?
  /// Returns whether to continue a payment in another storefront than the one in which it was confirmed.
  func shouldContinue(_ sequence: Int64, in storefront: Territory) async -> Bool
  /// Reports a payment that could not be stored, and so was not sent.
  func failedUnwritten(_ payment: PaymentRequest, _ failure: PaymentFailure)
  /// Reports a problem that cannot be reported to the app by a transaction or a request.
  func report(_ problem: StoreKitProblem)
}
