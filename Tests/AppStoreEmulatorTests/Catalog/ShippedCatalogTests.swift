import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

/// The demo's catalog, `Sources/Demo/SampleApp.storekit`, as customers of each storefront see it.
@Suite("The shipped catalog in each storefront", .timeLimit(.minutes(30)))
struct ShippedCatalogTests {
  private static let app: BundleID = "com.xamarin.storekit.testing"
  private static let fiveCredits: ProductID = "com.xamarin.storekit.testing.consume5credits"
  private static let twentyCredits: ProductID = "com.xamarin.storekit.testing.consume20credits"

  static func catalog() throws -> StoreKitConfiguration {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try StoreKitConfiguration(
      contentsOf: root.appending(path: "Sources/Demo/SampleApp.storekit"))
  }

  /// Returns a store that sells the catalog.
  private func store() async throws -> EmulatedAppStore {
    let store = try EmulatedAppStore(.inMemory(wallClock: ManualClock(TeaShop.opening), seed: 5))
    try await store.serve(Self.app, catalog: [try Self.catalog()])
    return store
  }

  /// Returns a phone of the store on which a new customer of the storefront is signed in.
  private func phone(in storefront: String, of store: EmulatedAppStore) async throws -> InstallationID {
    let (phone, customer) = (InstallationID("phone \(storefront)"), AccountName("customer \(storefront)"))
    try await store.addCustomer(Customer(environment: .sandbox, name: customer, storefrontCountryCode: storefront))
    _ = try await store.register(
      InstallationRegistration(
        installationID: phone, bundleID: Self.app, environment: .sandbox, deviceID: UUID(), applicationVersion: "1"))
    _ = try await store.signIn(SignInCredentials(account: customer), on: phone)
    return phone
  }

  @Test("B2 a price is never shown as zero, can be paid in its currency, and button, sheet and charge agree")
  func prices() async throws {
    let store = try await store()
    let ids = try Self.catalog().products.filter { $0.subscription == nil }.map(\.productID)
    for storefront in Territory.all.map(\.countryCode) {
      let phone = try await phone(in: storefront, of: store)
      for product in try await store.products(ids, for: phone).products {
        let (price, name) = (product.price, "\(product.productID) in \(storefront)")
        // The formatted price loses no digits, and is not zero.
        let written = price.formatted(locale: product.priceLocale)
        #expect(try amount(written, price.currency, product.priceLocale) == price.amount.decimal, "\(name)")
        #expect(price.amount > .zero, "\(name)")
        let quantity = product.type == .consumable ? 3 : 1
        let payment = PaymentRequest(
          paymentID: PaymentID("pay for \(name)"), productID: product.productID, quantity: quantity)
        let quote = try await store.quote(payment, for: phone)
        #expect(quote.unitPrice == price, "\(name)")
        #expect(quote.total == price.multiplied(by: quantity), "\(name)")
        guard case .purchased = try await store.confirm(quote, for: phone) else {
          Issue.record("\(name) was not bought")
          continue
        }
        let charge = try #require(
          try await store.charges(
            .init(account: AccountName("customer \(storefront)"), productID: product.productID)
          ).first)
        #expect(charge.amount == quote.total.amount, "\(name)")
        #expect(charge.currency == price.currency, "\(name)")
      }
    }
  }

  /// Returns the number in a formatted price, parsed by the same locale's rules.
  private func amount(_ text: String, _ currency: String, _ locale: Locale) throws -> Decimal {
    try Decimal(text, format: .currency(code: currency).locale(locale))
  }

  @Test("A4 in a storefront whose language the file has, titles, descriptions and the sheet are in that language")
  func language() async throws {
    let store = try await store()
    let phone = try await phone(in: "DEU", of: store)
    let five = try #require(try await store.products([Self.fiveCredits], for: phone).products.first)
    #expect(five.displayName == "5 Affen-Guthaben")
    #expect(five.productDescription == "Fünf Guthaben für Affen")
    let quote = try await store.quote(PaymentRequest(paymentID: "p", productID: Self.fiveCredits), for: phone)
    #expect(quote.displayName == "5 Affen-Guthaben")
    let austrian = try await self.phone(in: "AUT", of: store)
    #expect(
      try await store.products([Self.fiveCredits], for: austrian).products.first?.displayName == "5 Affen-Guthaben")
  }

  @Test(
    "A4 in a storefront whose language the file does not have, the file's own locale decides",
    arguments: ["FRA", "DEU"])
  func fallback(_ storefront: String) async throws {
    let store = try await store()
    let phone = try await phone(in: storefront, of: store)
    // The catalog has no French texts, and no German texts for the twenty credits.
    let product = storefront == "FRA" ? Self.fiveCredits : Self.twentyCredits
    let listed = try #require(try await store.products([product], for: phone).products.first)
    #expect(listed.displayName == (storefront == "FRA" ? "5 monkey credits" : "20 monkey credits"))
  }
}
