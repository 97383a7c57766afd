import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

/// An installation of the tea app.
struct Phone {
  let id: InstallationID
  /// Its `identifierForVendor`.
  let vendorID: UUID
}

extension TeaShop {
  /// Registers an installation; the same name is always the same device.
  ///
  /// - Parameter installation: which of the app's installations on the device it is.
  @discardableResult
  func phone(
    _ name: String = "phone", in environment: StoreEnvironment = .sandbox, version: String = "3.1",
    installation: Int = 1, signedInAs account: AccountName? = TeaShop.customer
  ) async throws -> Phone {
    var generator = SeededGenerator(seed: name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
    let count = installation == 1 ? "" : " \(installation)"
    let phone = Phone(id: InstallationID("installation\(count) of \(name)"), vendorID: .version4(from: &generator))
    let registration = InstallationRegistration(
      installationID: phone.id, bundleID: Self.app, environment: environment, deviceID: phone.vendorID,
      applicationVersion: version)
    // Sent, because the store's own function of that name does not come through the door.
    _ = try await store.send(RegisterCall(registration: registration), for: phone.id)
    if let account { _ = try await store.signIn(SignInCredentials(account: account), on: phone.id) }
    return phone
  }

  func quote(
    _ product: ProductID = TeaShop.oolong, quantity: Int = 1, as payment: PaymentID = "payment 1",
    username: String? = nil, on phone: Phone
  ) async throws -> PaymentQuote {
    try await store.quote(
      PaymentRequest(paymentID: payment, productID: product, quantity: quantity, applicationUsername: username),
      for: phone.id)
  }

  /// Asks for a quote and confirms it, as a device does when its customer agrees.
  @discardableResult
  func buy(
    _ product: ProductID = TeaShop.oolong, quantity: Int = 1, as payment: PaymentID = "payment 1",
    username: String? = nil, on phone: Phone
  ) async throws -> DeliveryBatch {
    let quote = try await quote(product, quantity: quantity, as: payment, username: username, on: phone)
    return try await store.confirm(quote, for: phone.id).purchase()
  }

  /// The newest transaction in the books.
  func newestTransaction() async throws -> StoredTransaction { try #require(try await store.transactions().first) }
}

extension ConfirmationResult {
  /// The batch of a purchase; anything else is a failed test.
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
  /// This quote with parts of it exchanged, and its code left as it was.
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

/// The code of the refusal that `body` ends with; nil if it is not refused. Other errors pass through.
func refusal(_ body: () async throws -> Void) async throws -> StoreRefusal.Code? {
  do {
    try await body()
    return nil
  } catch let refusal as StoreRefusal {
    return refusal.code
  }
}
