import AppStoreEmulatorServer
import Foundation
import Logging
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator
@testable import CommandLineTool

/// An emulated store in this process that sells coins and medals, and listens on a port.
struct CoinStore {
  static let app: BundleID = "org.example.arcade"
  /// A consumable.
  static let coins: ProductID = "org.example.arcade.coins"
  /// The number of coins that a purchase gives.
  static let coinsEach = 5
  /// A non-consumable.
  static let medal: ProductID = "org.example.arcade.medal"

  let store: EmulatedAppStore
  private let installation = InstallationID("an arcade player")

  init() async throws {
    store = try EmulatedAppStore(EmulatedAppStore.Configuration(directory: nil, seed: 11))
    _ = try await store.serve(
      Self.app,
      catalog: [
        StoreKitConfiguration(
          products: [
            ProductDefinition(productID: Self.coins, type: .consumable, price: Milliunits(990)),
            ProductDefinition(productID: Self.medal, type: .nonConsumable, price: Milliunits(2_990)),
          ])
      ])
    let registration = InstallationRegistration(
      installationID: installation, bundleID: Self.app, environment: .sandbox, deviceID: UUID(),
      applicationVersion: "1")
    _ = try await store.send(RegisterCall(registration: registration), for: installation)
    _ = try await store.send(
      SignInCall(credentials: SignInCredentials(account: "customer")), for: installation)
  }

  /// Sells coins once, and returns the signed transaction.
  func sell(_ number: Int) async throws -> String {
    let request = PaymentRequest(
      paymentID: PaymentID("payment \(number)"), productID: Self.coins, quantity: 1, applicationUsername: nil)
    let quote = try await store.send(QuoteCall(payment: request), for: installation)
    let result = try await store.send(ConfirmCall(quote: quote), for: installation)
    guard case .purchased(let batch) = result else {
      throw StoreRefusal(.paymentInvalid, "expected a purchase")
    }
    return try #require(batch.deliveries.first).signedTransaction
  }

  /// Sells coins once, refunds them, and reverses the refund. Returns the transaction as signed during the refund, and
  /// afterwards.
  func sellRefundAndReverse(_ number: Int) async throws -> [String] {
    let id = try #require(TransactionID(rawValue: try RedemptionLoad.transactionID(of: try await sell(number))))
    _ = try await store.refund(id)
    let refunded = try await store.proofs(of: id).signedTransaction
    _ = try await store.reverseRefund(of: id)
    return [refunded, try await store.proofs(of: id).signedTransaction]
  }

  /// Sells a product to a customer of the store, and returns the signed transaction.
  func sell(
    _ product: ProductID, to account: AccountName, in environment: StoreEnvironment = .sandbox
  ) async throws -> String {
    let known = try await store.customers().contains { $0.name == account && $0.environment == environment }
    if !known { try await store.addCustomer(Customer(environment: environment, name: account)) }
    let sold = try await store.purchase(product, of: Self.app, for: account, in: environment)
    return try await store.proofs(of: sold.record.transactionID).signedTransaction
  }

  /// Accepts connections while `body` runs. Passes the address to `body`.
  func listening<Value: Sendable>(_ body: (String) async throws -> Value) async throws -> Value {
    var logger = Logger(label: "arcade")
    logger.logLevel = .error
    let server = try EmulatorServer(store: store, configuration: .init(port: 0), logger: logger)
    return try await server.accepting(logger: logger) { try await body("http://127.0.0.1:\($0)") }
  }
}
