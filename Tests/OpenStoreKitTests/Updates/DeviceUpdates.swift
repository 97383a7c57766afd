import AppStoreEmulator
import Foundation
import StoreModel

@testable import OpenStoreKit

// StoreKit 2's part of a device, without its public API.
extension StoreKitDevice {
  /// Purchases a product with StoreKit 2.
  @discardableResult
  func buy(_ product: String, quantity: Int = 1) async throws -> PurchaseOutcome {
    try await engine.purchase(
      PaymentRequest(paymentID: PaymentID(UUID().uuidString), productID: ProductID(product), quantity: quantity),
      mayContinue: nil)
  }

  /// The announcement of a stored transaction.
  func announcement(of id: TransactionID) throws -> Int64? { try journal.transaction(id)?.announcement }

  /// Asks the store for changes, and waits for the answer. An app waits for a second only, which a busy machine may need.
  @discardableResult
  func refresh() async -> RefreshResult { await engine.refresh(waiting: .seconds(600)) }

  /// Takes the customer's history in. What comes after it is news.
  ///
  /// When it returns, the list of unfinished transactions that begins the use of StoreKit 2 was requested, too. A later list
  /// could bring the answer to a payment whose own answer the test holds back.
  func takeHistoryIn() async throws {
    try await signIn(SignInCredentials(account: "customer"))
    if case .stale(let error) = await refresh() { throw error }
    await withCheckedContinuation { drained in
      if !engine.send(.drain(drained)) { drained.resume() }
    }
    while await engine.isListingUnfinished { await Task.yield() }
  }
}

extension PaymentQueueEngine {
  /// Whether a list of unfinished transactions is needed, or is on its way.
  fileprivate var isListingUnfinished: Bool { needsUnfinished || acknowledgedFinishes.isListing }
}

extension PurchaseOutcome {
  /// The id of the purchased transaction; nil for all other outcomes.
  var purchased: TransactionID? {
    if case .purchased(let transaction) = self { transaction.transactionID } else { nil }
  }

  var failure: PaymentFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}

extension TransactionUpdate {
  /// The id of a stored transaction; nil for an unverified one.
  var stored: TransactionID? {
    if case .stored(let id) = self { id } else { nil }
  }
}

extension RefreshResult {
  var isCurrent: Bool {
    if case .current = self { true } else { false }
  }
}

extension PaymentQuote {
  /// A quote that no store has made.
  static func sample(of payment: PaymentRequest) -> PaymentQuote {
    let price = Price(amount: Milliunits(990), currency: "USD")
    return PaymentQuote(
      payment: payment, account: "customer", displayName: "Tea", unitPrice: price, total: price,
      storefrontCountryCode: "USA", localeIdentifier: "en_US", epoch: "1", authenticationCode: Data())
  }
}
