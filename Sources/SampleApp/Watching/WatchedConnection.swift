import StoreModel

/// A connection to the store that notifies the demo of the app's requests, and can stop after a charge.
struct WatchedConnection: AppStoreConnection {
  let base: any AppStoreConnection
  /// Called before products are requested from the store.
  let willAsk: @Sendable ([String]) -> Void
  /// Called after the store has charged, before its answer is passed on.
  let didCharge: @Sendable () async -> Void
  /// Called when the store has acknowledged that a transaction is finished.
  let didFinish: @Sendable (TransactionID) -> Void
  /// Returns the number that identifies the last command of the phone to request the unfinished transactions; nil before
  /// the first such command.
  let unfinishedRequest: @Sendable () -> Int?
  /// Called when the store has returned the last page of the unfinished transactions. The arguments: the value of
  /// ``unfinishedRequest`` when the page was requested, and how many transactions the page has. Not called while that
  /// value is nil.
  let didFetchUnfinished: @Sendable (Int, Int) -> Void

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    let number = call is UnfinishedCall ? unfinishedRequest() : nil
    if let products = call as? ProductsCall { willAsk(products.productIDs.map(\.rawValue)) }
    let answer = try await base.send(call, for: installation)
    if case ConfirmationResult.purchased? = answer as? ConfirmationResult { await didCharge() }
    if let finish = call as? FinishCall { didFinish(finish.transactionID) }
    if let number, let batch = answer as? DeliveryBatch, batch.next == nil {
      didFetchUnfinished(number, batch.deliveries.count)
    }
    return answer
  }
}
