import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

/// The demo's catalog, `Sources/Demo/SampleApp.storekit`, as customers of each storefront see it.
@Suite("The shipped catalog in each storefront", .timeLimit(.minutes(10)))
struct ShippedCatalogTests {
  private static let app: BundleID = "com.xamarin.storekit.testing"
  private static let phone: InstallationID = "phone"
  private static let fiveCredits: ProductID = "com.xamarin.storekit.testing.consume5credits"
  private static let twentyCredits: ProductID = "com.xamarin.storekit.testing.consume20credits"

  static func catalog() throws -> StoreKitConfiguration {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try StoreKitConfiguration(
      contentsOf: root.appending(path: "Sources/Demo/SampleApp.storekit"))
  }

  /// Returns a store with a phone on which a customer of the storefront is signed in.
  private func store(in storefront: String) async throws -> EmulatedAppStore {
    let store = try EmulatedAppStore(.inMemory(wallClock: ManualClock(TeaShop.opening), seed: 5))
    try await store.serve(Self.app, catalog: [try Self.catalog()])
    try await store.addCustomer(Customer(environment: .sandbox, name: "ada", storefrontCountryCode: storefront))
    _ = try await store.register(
      InstallationRegistration(
        installationID: Self.phone, bundleID: Self.app, environment: .sandbox, deviceID: UUID(),
        applicationVersion: "1"))
    _ = try await store.signIn(SignInCredentials(account: "ada"), on: Self.phone)
    return store
  }

  @Test(
    "B2 a price is never shown as zero, can be paid in its currency, and button, sheet and charge agree",
    arguments: Territory.all.map(\.countryCode))
  func prices(_ storefront: String) async throws {
    let store = try await store(in: storefront)
    let ids = try Self.catalog().products.filter { $0.subscription == nil }.map(\.productID)
    for product in try await store.products(ids, for: Self.phone).products {
      let price = product.price
      // The formatted price loses no digits, and is not zero.
      let written = price.formatted(locale: product.priceLocale)
      #expect(try amount(written, price.currency, product.priceLocale) == price.amount.decimal, "\(product.productID)")
      #expect(price.amount > .zero)
      let quantity = product.type == .consumable ? 3 : 1
      let payment = PaymentRequest(
        paymentID: PaymentID("pay for \(product.productID)"), productID: product.productID, quantity: quantity)
      let quote = try await store.quote(payment, for: Self.phone)
      #expect(quote.unitPrice == price)
      #expect(quote.total == price.multiplied(by: quantity))
      guard case .purchased = try await store.confirm(quote, for: Self.phone) else {
        Issue.record("\(product.productID) was not bought")
        continue
      }
      let charge = try #require(try await store.charges(.init(productID: product.productID)).first)
      #expect(charge.amount == quote.total.amount)
      #expect(charge.currency == price.currency)
    }
  }

  /// Returns the number in a formatted price, parsed by the same locale's rules.
  private func amount(_ text: String, _ currency: String, _ locale: Locale) throws -> Decimal {
    try Decimal(text, format: .currency(code: currency).locale(locale))
  }

  @Test("A4 in a storefront whose language the file has, titles, descriptions and the sheet are in that language")
  func language() async throws {
    let store = try await store(in: "DEU")
    let five = try #require(try await store.products([Self.fiveCredits], for: Self.phone).products.first)
    #expect(five.displayName == "5 Affen-Guthaben")
    #expect(five.productDescription == "Fünf Guthaben für Affen")
    let quote = try await store.quote(PaymentRequest(paymentID: "p", productID: Self.fiveCredits), for: Self.phone)
    #expect(quote.displayName == "5 Affen-Guthaben")
    let austrian = try await self.store(in: "AUT")
    #expect(
      try await austrian.products([Self.fiveCredits], for: Self.phone).products.first?.displayName == "5 Affen-Guthaben"
    )
  }

  @Test(
    "A4 in a storefront whose language the file does not have, the file's own locale decides",
    arguments: ["FRA", "DEU"])
  func fallback(_ storefront: String) async throws {
    let store = try await store(in: storefront)
    // The catalog has no French texts, and no German texts for the twenty credits.
    let product = storefront == "FRA" ? Self.fiveCredits : Self.twentyCredits
    let listed = try #require(try await store.products([product], for: Self.phone).products.first)
    #expect(listed.displayName == (storefront == "FRA" ? "5 monkey credits" : "20 monkey credits"))
  }
}
