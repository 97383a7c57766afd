import AppStoreEmulator
import AppStoreServerAPI
import Foundation
import StoreModel
import Testing

extension BakeryServer {
  static let device = UUID(uuid: (0xA0, 1, 2, 3, 4, 5, 0x46, 7, 0x88, 9, 10, 11, 12, 13, 14, 15))

  static func registration(
    _ id: InstallationID = "phone", in environment: StoreEnvironment = .sandbox
  ) -> InstallationRegistration {
    InstallationRegistration(
      installationID: id, bundleID: app, environment: environment, deviceID: device, applicationVersion: "1.2")
  }

  /// Buys a loaf on a phone in the same process and returns the app receipt.
  func receipt(in environment: StoreEnvironment = .sandbox) async throws -> Data {
    try #require(try await purchase(in: environment).receipt)
  }

  /// Buys a loaf on a phone in the same process and returns the transaction's receipt in iOS 6 format.
  func legacyReceipt(in environment: StoreEnvironment = .sandbox) async throws -> Data {
    try #require(try await purchase(in: environment).deliveries.first?.transactionReceipt)
  }

  private func purchase(in environment: StoreEnvironment) async throws -> DeliveryBatch {
    let id = InstallationID("phone in \(environment)")
    _ = try await store.register(Self.registration(id, in: environment))
    _ = try await store.signIn(SignInCredentials(account: "customer"), on: id)
    let quote = try await store.quote(PaymentRequest(paymentID: "p", productID: Self.loaf), for: id)
    guard case .purchased(let batch) = try await store.confirm(quote, for: id) else {
      throw StoreRefusal(.paymentInvalid, "the quote was stale")
    }
    return batch
  }

  /// Buys a loaf for the first customer, outside the app.
  @discardableResult
  func order(
    _ account: AccountName = "customer", in environment: StoreEnvironment = .sandbox
  ) async throws
    -> StoredTransaction
  {
    try await store.purchase(Self.loaf, of: Self.app, for: account, in: environment)
  }

  /// The header with a token of the app for the App Store Server API.
  func serverAPIAuthorization() async throws -> [String: String] {
    let app = try await store.app(Self.app)
    let key = try ServerAPIKey(keyID: store.authority.apiKeyID(), issuerID: app.issuerID, pem: store.authority.apiKey())
    return ["Authorization": "Bearer \(try key.token(for: Self.app, at: clock.now).text)"]
  }
}
