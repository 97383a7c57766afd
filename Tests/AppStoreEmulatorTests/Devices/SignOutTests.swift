import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Signing out", .timeLimit(.minutes(30)))
struct SignOutTests {
  @Test("B2 leaves no account signed in, requested by the device or by the operator", arguments: [true, false])
  func signedOut(byDevice: Bool) async throws {
    let shop = try await TeaShop()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    if byDevice {
      try await shop.store.signOut(on: phone.id)
    } else {
      #expect(try await shop.store.endSignIn(on: phone.id).account == nil)
    }
    #expect(try await refusal { _ = try await shop.quote(on: phone) } == .signInRequired)
    #expect(try await refusal { _ = try await shop.store.refreshReceipt(for: phone.id) } == .signInRequired)
    #expect(try await shop.quote(on: tablet).account == TeaShop.customer)
    #expect(try await shop.store.installations().map(\.account) == [nil, TeaShop.customer])
  }

  @Test("B3 a quote that was confirmed before is charged to the account that confirmed it")
  func confirmedBefore() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    try await shop.store.signOut(on: phone.id)
    _ = try await shop.store.confirm(quote, for: phone.id).purchase()
    #expect(try await shop.store.charges().map(\.account) == [TeaShop.customer])
  }

  @Test("B4 what this installation paid for is delivered to it all the same")
  func unfinished() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    _ = try await shop.store.purchase(TeaShop.sencha, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    try await shop.store.signOut(on: phone.id)
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.map(\.paymentID) == ["payment 1"])
  }

  @Test("A4 the storefront becomes the default one, and the device is notified if it changed")
  func storefront() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    func received() async throws -> [StoreChange] {
      try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id).changes
    }
    try await shop.store.signOut(on: phone.id)
    #expect(try await received().isEmpty)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "greta", storefrontCountryCode: "DEU"))
    _ = try await shop.store.signIn(SignInCredentials(account: "greta"), on: phone.id)
    let rings = shop.store.database.deviceChanges.count
    try await shop.store.endSignIn(on: phone.id)
    #expect(try await received() == [StoreChange(.storefrontChanged)])
    #expect(shop.store.database.deviceChanges.count == rings + 1)
    #expect(
      try await shop.store.products([TeaShop.sencha], for: phone.id).products.map(\.price.currency) == ["USD"])
  }

  @Test("an unknown installation cannot sign out")
  func unknown() async throws {
    let shop = try await TeaShop()
    #expect(try await refusal { try await shop.store.signOut(on: "stranger") } == .unknownInstallation)
    await #expect(throws: AppStoreEmulatorError.unknownInstallation("stranger")) {
      try await shop.store.endSignIn(on: "stranger")
    }
  }
}
