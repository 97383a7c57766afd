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

  /// Takes the customer's history in. What comes after it is news.
  func takeHistoryIn() async throws {
    try await signIn(SignInCredentials(account: "customer"))
    if case .stale(let error) = await engine.refresh() { throw error }
  }
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
