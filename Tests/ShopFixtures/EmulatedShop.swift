import AppStoreEmulator
import Foundation
import SignedData
import StoreModel

/// A test's emulated store in this process, with devices that buy from it without StoreKit.
package protocol EmulatedShop: Sendable {
  /// The app that devices run unless a test names another.
  static var app: BundleID { get }

  var store: EmulatedAppStore { get }
}

/// An installation of an app.
package struct ShopPhone: Hashable, Sendable {
  package let id: InstallationID
  /// Its `identifierForVendor`.
  package let vendorID: UUID

  package init(id: InstallationID, vendorID: UUID) {
    self.id = id
    self.vendorID = vendorID
  }

  package var device: DeviceIdentifier { .vendorIdentifier(vendorID) }
}

/// The proofs of one purchase, of all three kinds.
package struct PurchaseProofs: Sendable {
  package let id: TransactionID
  package let appReceipt: Data
  package let legacyReceipt: Data
  package let signedTransaction: String
}

/// Thrown when a fixture could not carry out a step of the test.
package struct ShopFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

extension EmulatedShop {
  package var anchors: TrustAnchors { get throws { try store.authority.anchors } }

  /// Returns a configuration file that has only these products.
  package static func file(
    _ products: [ProductDefinition], storefront: String? = nil, appAppleID: String? = nil
  ) -> StoreKitConfiguration {
    var settings = StoreKitConfiguration.Settings()
    settings.storefront = storefront
    settings.applicationInternalID = appAppleID
    return StoreKitConfiguration(products: products, settings: settings)
  }

  /// Registers an installation. The same name is always the same device.
  ///
  /// - Parameters:
  ///   - installation: which of the app's installations on the device it is.
  ///   - account: the customer that signs in; nil if no customer signs in.
  @discardableResult
  package func phone(
    _ name: String = "phone", app: BundleID = Self.app, in environment: StoreEnvironment = .sandbox,
    version: String = "3.1", installation: Int = 1, signedInAs account: AccountName? = "customer"
  ) async throws -> ShopPhone {
    var generator = SeededGenerator(seed: name.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) })
    let count = installation == 1 ? "" : " \(installation)"
    let phone = ShopPhone(
      id: InstallationID("installation\(count) of \(name)"), vendorID: .version4(from: &generator))
    let registration = InstallationRegistration(
      installationID: phone.id, bundleID: app, environment: environment, deviceID: phone.vendorID,
      applicationVersion: version)
    _ = try await store.send(RegisterCall(registration: registration), for: phone.id)
    if let account { _ = try await store.signIn(SignInCredentials(account: account), on: phone.id) }
    return phone
  }

  /// Requests a quote and confirms it, as a device does when its customer agrees.
  ///
  /// - Throws: ``ShopFailure`` if the store does not complete the purchase at once.
  package func purchase(
    _ product: ProductID, quantity: Int = 1, as payment: PaymentID = "payment 1", username: String? = nil,
    on phone: ShopPhone
  ) async throws -> DeliveryBatch {
    let request = PaymentRequest(
      paymentID: payment, productID: product, quantity: quantity, applicationUsername: username)
    let result = try await store.confirm(try await store.quote(request, for: phone.id), for: phone.id)
    guard case .purchased(let batch) = result else { throw ShopFailure("expected a purchase, got \(result)") }
    return batch
  }

  /// Buys a product, and returns the purchase's proofs.
  package func proofs(
    ofBuying product: ProductID, quantity: Int = 1, as payment: PaymentID = "payment 1", username: String? = nil,
    on phone: ShopPhone
  ) async throws -> PurchaseProofs {
    let batch = try await purchase(product, quantity: quantity, as: payment, username: username, on: phone)
    guard let delivery = batch.deliveries.first, let receipt = batch.receipt,
      let legacyReceipt = delivery.transactionReceipt
    else { throw ShopFailure("the purchase of \(product) has not all proofs") }
    return PurchaseProofs(
      id: try UnverifiedJWS(delivery.signedTransaction).transaction().transactionID, appReceipt: receipt,
      legacyReceipt: legacyReceipt, signedTransaction: delivery.signedTransaction)
  }

  /// Returns the app receipt that the store issues to the phone now.
  package func freshReceipt(for phone: ShopPhone) async throws -> Data {
    try await store.send(RefreshReceiptCall(), for: phone.id).receipt
  }
}
