import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

typealias Phone = ShopPhone

extension TeaShop {
  func quote(
    _ product: ProductID = TeaShop.oolong, quantity: Int = 1, as payment: PaymentID = "payment 1",
    username: String? = nil, on phone: Phone
  ) async throws -> PaymentQuote {
    try await store.quote(
      PaymentRequest(paymentID: payment, productID: product, quantity: quantity, applicationUsername: username),
      for: phone.id)
  }

  /// Requests a quote and confirms it, as a device does when its customer agrees.
  @discardableResult
  func buy(
    _ product: ProductID = TeaShop.oolong, quantity: Int = 1, as payment: PaymentID = "payment 1",
    username: String? = nil, on phone: Phone
  ) async throws -> DeliveryBatch {
    try await purchase(product, quantity: quantity, as: payment, username: username, on: phone)
  }

  /// The newest transaction of the store.
  func newestTransaction() async throws -> StoredTransaction { try #require(try await store.transactions().first) }
}

extension ConfirmationResult {
  /// Returns the batch of a purchase. Throws for any other result, so the test fails.
  func purchase() throws -> DeliveryBatch {
    guard case .purchased(let batch) = self else {
      throw StoreRefusal(.paymentInvalid, "expected a purchase, got \(self)")
    }
    return batch
  }

  /// The quote that replaces a stale one, if it was stale.
  var replacement: PaymentQuote? { if case .stale(let quote) = self { quote } else { nil } }
}

extension PaymentQuote {
  /// Returns this quote with some parts replaced, but with the same authentication code.
  func altered(
    payment: PaymentRequest? = nil, account: AccountName? = nil, displayName: String? = nil, unitPrice: Int64? = nil,
    total: Price? = nil, storefront: String? = nil, locale: String? = nil, epoch: StoreEpoch? = nil, code: Data? = nil
  ) -> PaymentQuote {
    PaymentQuote(
      payment: payment ?? self.payment, account: account ?? self.account,
      displayName: displayName ?? self.displayName,
      unitPrice: unitPrice.map { Price(amount: Milliunits($0), currency: self.unitPrice.currency) } ?? self.unitPrice,
      total: total ?? self.total, storefrontCountryCode: storefront ?? storefrontCountryCode,
      localeIdentifier: locale ?? localeIdentifier, epoch: epoch ?? self.epoch,
      authenticationCode: code ?? authenticationCode)
  }
}

/// Returns the code of the refusal that `body` throws; nil if it throws nothing. Rethrows other errors.
func refusal(_ body: () async throws -> Void) async throws -> StoreRefusal.Code? {
  do {
    try await body()
    return nil
  } catch let refusal as StoreRefusal {
    return refusal.code
  }
}
