import Foundation
import PurchaseKit
import StoreModel

/// A connection that lets the demo know what has passed over it, and may stop there.
struct WatchedConnection: AppStoreConnection {
  let base: any AppStoreConnection
  /// Called when the store has charged, before the answer is passed on.
  let didCharge: @Sendable () async -> Void
  /// Called when the store has acknowledged a finish.
  let didFinish: @Sendable (TransactionID) -> Void

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    let answer = try await base.send(call, for: installation)
    if case ConfirmationResult.purchased? = answer as? ConfirmationResult { await didCharge() }
    if let finish = call as? FinishCall { didFinish(finish.transactionID) }
    return answer
  }
}

/// A credit store that, once a grant is committed, waits for ever instead of returning.
struct HoldingCreditStore: CreditStore {
  let base: any CreditStore
  let hold: @Sendable () -> Never

  func balance() throws -> Int { try base.balance() }

  func grant(
    _ credits: Int, for transactionIdentifier: String, productIdentifier: String, date: Date
  ) throws -> CreditGrant {
    _ = try base.grant(credits, for: transactionIdentifier, productIdentifier: productIdentifier, date: date)
    hold()
  }

  func spend(_ credits: Int, key: UUID, date: Date) throws -> Int {
    try base.spend(credits, key: key, date: date)
  }
}
