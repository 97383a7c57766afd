import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

/// An emulated store that sells tea, with a clock that stands still.
struct TeaStore {
  static let app: BundleID = "org.example.teahouse"
  static let otherApp: BundleID = "org.example.coffeehouse"
  /// A consumable.
  static let oolong: ProductID = "org.example.teahouse.oolong"
  /// A non-consumable.
  static let teapot: ProductID = "org.example.teahouse.teapot"
  /// A month's subscription.
  static let monthly: ProductID = "org.example.teahouse.club.monthly"
  /// 2026-07-01T12:00:00.250Z
  static let opening = StoreDate(millisecondsSince1970: 1_782_907_200_250)

  let store: EmulatedAppStore
  let clock: ManualClock

  init(seed: UInt64 = 7, keyDirectory: URL? = nil, opening: StoreDate = TeaStore.opening) async throws {
    clock = ManualClock(opening)
    store = try EmulatedAppStore(
      EmulatedAppStore.Configuration(directory: nil, keyDirectory: keyDirectory, wallClock: clock, seed: seed))
    let products = [
      ProductDefinition(productID: Self.oolong, type: .consumable, price: Milliunits(1_990)),
      ProductDefinition(productID: Self.teapot, type: .nonConsumable, price: Milliunits(24_000)),
      ProductDefinition(
        productID: Self.monthly, type: .autoRenewableSubscription, price: Milliunits(5_000),
        subscription: SubscriptionTerms(
          groupID: "club", groupLevel: 1, period: try #require(SubscriptionPeriod(iso8601: "P1M")), offers: [])),
    ]
    for app in [Self.app, Self.otherApp] {
      _ = try await store.serve(
        app,
        catalog: [
          StoreKitConfiguration(
            identifier: nil, version: .newest, products: products, subscriptionGroups: [], offersKey: nil,
            settings: StoreKitConfiguration.Settings(), warnings: [])
        ])
    }
  }

  var anchors: TrustAnchors { get throws { try store.authority.anchors } }

  /// A phone with the app, signed in.
  struct Phone {
    let installation: InstallationID
    /// Its `identifierForVendor`.
    let vendorID: UUID

    var device: DeviceIdentifier { .vendorIdentifier(vendorID) }
  }

  func phone(
    _ name: String = "phone", app: BundleID = TeaStore.app, in environment: StoreEnvironment = .sandbox
  ) async throws -> Phone {
    var generator = SeededGenerator(seed: name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
    let phone = Phone(installation: InstallationID("installation of \(name)"), vendorID: .version4(from: &generator))
    let registration = InstallationRegistration(
      installationID: phone.installation, bundleID: app, environment: environment, deviceID: phone.vendorID,
      applicationVersion: "3.1")
    _ = try await store.send(RegisterCall(registration: registration), for: phone.installation)
    _ = try await store.signIn(SignInCredentials(account: "customer"), on: phone.installation)
    return phone
  }

  /// What one purchase leaves behind: all three kinds of proof.
  struct Purchase {
    let id: TransactionID
    let appReceipt: Data
    let legacyReceipt: Data
    let signedTransaction: String
  }

  func buy(
    _ product: ProductID = TeaStore.oolong, quantity: Int = 1, as payment: PaymentID = "payment 1",
    username: String? = nil, on phone: Phone
  ) async throws -> Purchase {
    let quote = try await store.quote(
      PaymentRequest(paymentID: payment, productID: product, quantity: quantity, applicationUsername: username),
      for: phone.installation)
    guard case .purchased(let batch) = try await store.confirm(quote, for: phone.installation) else {
      throw StoreRefusal(.paymentInvalid, "expected a purchase")
    }
    let delivery = try #require(batch.deliveries.first)
    return Purchase(
      id: try UnverifiedJWS(delivery.signedTransaction).transaction().transactionID,
      appReceipt: try #require(batch.receipt), legacyReceipt: try #require(delivery.transactionReceipt),
      signedTransaction: delivery.signedTransaction)
  }
}
