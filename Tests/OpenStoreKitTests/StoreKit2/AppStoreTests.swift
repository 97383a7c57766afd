import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: AppStore, and errors", .timeLimit(.minutes(30)))
struct AppStoreTests {
  @Test("sync asks for a sign-in, and takes in what was bought elsewhere")
  func sync() async throws {
    let test = try await TestStore.club()
    let customer = ScriptedCustomer()
    let device = try test.clubDevice(customer: customer)
    _ = try await test.store.purchase(
      ProductID(TestStore.sepia), of: TestStore.bundleID, for: "customer", in: .sandbox)
    try await AppStore.sync(on: device)
    #expect(!customer.askedToSignIn.isEmpty)
    device.switches.isOffline = true
    #expect(try await device.entitlements().map(\.productID) == [TestStore.sepia])
    #expect(FileManager.default.fileExists(atPath: device.receiptURL.path))
  }

  @Test("sync throws if the customer does not sign in, or the store cannot be reached")
  func syncFails() async throws {
    let test = try await TestStore.club()
    do {
      try await AppStore.sync(on: test.clubDevice(customer: ScriptedCustomer(signIns: [.cancel])))
      Issue.record("it has not been cancelled")
    } catch StoreKitError.userCancelled {}
    let device = try test.clubDevice()
    device.switches.isOffline = true
    do {
      try await AppStore.sync(on: device)
      Issue.record("it has reached the store")
    } catch StoreKitError.networkError {}
  }

  @Test("the environments and platforms have Apple's names")
  func names() {
    let environments: [AppStore.Environment] = [.production, .sandbox, .xcode]
    #expect(environments.map(\.rawValue) == ["Production", "Sandbox", "Xcode"])
    let platforms: [AppStore.Platform] = [.iOS, .macOS, .tvOS, .visionOS]
    #expect(platforms.map(\.rawValue) == ["iOS", "macOS", "tvOS", "visionOS"])
    #expect(AppStore.Platform(rawValue: "watchOS").rawValue == "watchOS")
    #expect(AppStore.Environment(rawValue: "LocalTesting").rawValue == "LocalTesting")
  }

  @Test("the age rating is not known")
  func ageRating() async {
    #expect(await AppStore.ageRatingCode == nil)
  }

  @Test("no Advanced Commerce product can be made, and the request has its members")
  func advancedCommerce() async {
    do {
      let product = try await AdvancedCommerceProduct(id: "generic")
      Issue.record("\(product.id) \(product.type) was made")
      _ = (await product.latestTransaction, product.allTransactions, product.currentEntitlements)
    } catch StoreKitError.unsupported {
    } catch {
      Issue.record("\(error)")
    }
    let option = AdvancedCommerceProduct.PurchaseOption.onStorefrontChange { _ in true }
    #expect(option.debugDescription == "onStorefrontChange" && option == option)
    #expect(AdvancedCommerceProduct.ID.self == String.self)
    #expect(AdvancedCommerceProduct.ProductType.self == Product.ProductType.self)
    #expect(AdvancedCommerceProduct.PurchaseResult.self == Product.PurchaseResult.self)
    let error = InvalidRequestError(code: 4, message: "m")
    #expect(error.code == 4 && error.message == "m")
  }

  // MARK: Errors

  private func text(_ error: any Error) -> String { "\(StoreKitError.mapping(error))".prefix { $0 != "(" }.description }

  @Test("each cause has its error")
  func mapping() {
    let cause = NSError(domain: "D", code: 1)
    #expect(text(StoreConnectionFailure.unreachable(reason: "")) == "networkError")
    #expect(text(StoreConnectionFailure.noAnswer(reason: "")) == "networkError")
    #expect(text(StoreConnectionFailure.unintelligible(reason: "")) == "networkError")
    #expect(text(URLError(.timedOut)) == "networkError")
    #expect(text(CancellationError()) == "systemError" && text(cause) == "systemError")
    #expect(text(StoreKitDeviceError.notConfigured) == "systemError")
    #expect(text(StoreRefusal(.productNotAvailable, "")) == "productUnavailable")
    #expect(text(StoreRefusal(.paymentNotAllowed, "")) == "purchaseNotAllowed")
    #expect(text(StoreRefusal(.paymentDeclined, "")) == "unknown")
    #expect(text(StoreKitError.unsupported) == "unsupported" && text(PaymentFailure.cancelled) == "userCancelled")
    #expect(text(PaymentFailure.noStore("")) == "networkError")
    var failure = PaymentFailure(.paymentInvalid, "")
    #expect(text(failure) == "unknown")
    failure.cause = .invalidQuantity
    #expect(text(failure) == "invalidQuantity")
    failure.cause = .storefrontDeclined
    #expect(text(failure) == "notAvailableInStorefront")
    failure.cause = .noStore
    #expect(text(failure) == "networkError")
    guard case .unknown = StoreKitError.general(Product.PurchaseError.productUnavailable) else {
      Issue.record("products(for:) throws StoreKitError only")
      return
    }
  }

  @Test("the errors have texts")
  func texts() {
    let errors: [StoreKitError] = [
      .unknown, .userCancelled, .networkError(URLError(.timedOut)), .systemError(StoreKitDeviceError.notConfigured),
      .notAvailableInStorefront, .notEntitled, .unsupported,
    ]
    #expect(Set(errors.compactMap(\.errorDescription)).count == errors.count)
    #expect(StoreKitError.networkError(URLError(.timedOut)).failureReason != nil)
    #expect(StoreKitError.networkError(URLError(.timedOut)).recoverySuggestion != nil)
    #expect(errors[3].localizedDescription.contains("OPENSTOREKIT_URL"))
    let purchase: [Product.PurchaseError] = [
      .invalidQuantity, .productUnavailable, .purchaseNotAllowed, .ineligibleForOffer, .invalidOfferIdentifier,
      .invalidOfferPrice, .invalidOfferSignature, .missingOfferParameters,
    ]
    #expect(Set(purchase.compactMap(\.failureReason)).count == purchase.count)
    #if compiler(>=6.3.2)
      #expect(Product.PurchaseError.paymentMethodBindingConfigurationRequired.errorDescription != nil)
    #endif
  }
}
