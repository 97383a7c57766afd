import StoreModel

/// A connection that lets the demo know what has passed over it, and may stop there.
struct WatchedConnection: AppStoreConnection {
  let base: any AppStoreConnection
  let network: NetworkSwitch
  /// Called before the store is asked about products.
  let willAsk: @Sendable ([String]) -> Void
  /// Called when the store has charged, before the answer is passed on.
  let didCharge: @Sendable () async -> Void
  /// Called when the store has acknowledged a finish.
  let didFinish: @Sendable (TransactionID) -> Void
  /// The number of the last order to ask for what is unfinished; nil before the first.
  let unfinishedOrder: @Sendable () -> Int?
  /// Called when the store has said what is unfinished, with that number as it was when it was asked.
  let didFetchUnfinished: @Sendable (Int, Int) -> Void

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    let order = call is UnfinishedCall ? unfinishedOrder() : nil
    guard network.isOn else { throw StoreConnectionFailure.unreachable(reason: "the phone has no network") }
    if let products = call as? ProductsCall { willAsk(products.productIDs.map(\.rawValue)) }
    let answer = try await base.send(call, for: installation)
    // An answer that comes when the network has gone does not arrive.
    guard network.isOn else { throw StoreConnectionFailure.noAnswer(reason: "the phone has lost its network") }
    if case ConfirmationResult.purchased? = answer as? ConfirmationResult { await didCharge() }
    if let finish = call as? FinishCall { didFinish(finish.transactionID) }
    if let order, let batch = answer as? DeliveryBatch { didFetchUnfinished(order, batch.deliveries.count) }
    return answer
  }
}
