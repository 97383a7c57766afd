import StoreModel

/// Who is told what the queue does. Called in the order in which things were committed.
protocol QueueListener: Sendable {
  /// Whether anybody is there to be told. Without an observer nothing is sent to the store.
  var hasObservers: Bool { get }
  func updated(_ entries: [QueueEntry])
  func removed(_ sequences: [Int64])
  /// A payment that could not be journalled, and so was never sent.
  func failedUnwritten(_ payment: PaymentRequest, _ failure: PaymentFailure)
  /// Something went wrong that no transaction can carry.
  func report(_ problem: StoreKitProblem)
}
