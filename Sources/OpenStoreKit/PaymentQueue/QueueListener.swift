import StoreModel

/// Who is told what the queue does. Called in the order in which things were committed.
protocol QueueListener: Sendable {
  /// Whether anybody is there to be told. Without an observer nothing is sent to the store.
  var hasObservers: Bool { get }
  func updated(_ entries: [QueueEntry])
  func removed(_ sequences: [Int64])
  /// What was asked for by restoring has been told, or why it was not.
  func restoreEnded(_ error: (any Error)?)
  func storefrontChanged()
  /// Returns once everybody was told.
  func revoked(_ products: [ProductID]) async
  /// The payment to add for a purchase that was begun in the App Store; nil where the app does not want it now.
  func shouldAddStorePayment(for listing: ProductListing) async -> PaymentRequest?
  /// Whether to go on with a payment in another storefront than the one it was confirmed in.
  func shouldContinue(_ sequence: Int64, in storefront: Storefront) async -> Bool
  /// A payment that could not be journalled, and so was never sent.
  func failedUnwritten(_ payment: PaymentRequest, _ failure: PaymentFailure)
  /// Something went wrong that no transaction can carry.
  func report(_ problem: StoreKitProblem)
}
