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

  func confirm(_ quote: PaymentQuote, for installation: InstallationID) async throws -> ConfirmationResult {
    let result = try await base.confirm(quote, for: installation)
    if case .purchased = result { await didCharge() }
    return result
  }

  func register(_ registration: InstallationRegistration) async throws -> StoreGreeting {
    try await base.register(registration)
  }

  func signIn(
    _ credentials: SignInCredentials, on installation: InstallationID
  ) async throws -> SignedInAccount {
    try await base.signIn(credentials, on: installation)
  }

  func products(_ identifiers: [ProductID], for installation: InstallationID) async throws -> ProductList {
    try await base.products(identifiers, for: installation)
  }

  func quote(_ payment: PaymentRequest, for installation: InstallationID) async throws -> PaymentQuote {
    try await base.quote(payment, for: installation)
  }

  func unfinished(for installation: InstallationID) async throws -> DeliveryBatch {
    try await base.unfinished(for: installation)
  }

  func finish(_ transaction: TransactionID, for installation: InstallationID) async throws {
    try await base.finish(transaction, for: installation)
    didFinish(transaction)
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
