import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Taking a customer away", .timeLimit(.minutes(30)))
struct CustomerRemovalTests {
  private func shop(_ customer: Customer = Customer(environment: .sandbox, name: "ada")) async throws -> TeaShop {
    let shop = try await TeaShop()
    try await shop.store.addCustomer(customer)
    return shop
  }

  private func expectRefusal(_ shop: TeaShop) async throws {
    let before = try await shop.records()
    await #expect(throws: AppStoreEmulatorError.customerHasPurchases("ada", .sandbox)) {
      try await shop.store.removeCustomer("ada", .sandbox)
    }
    #expect(try await shop.records() == before)
  }

  @Test("one who never bought goes, in the one environment, and is signed out wherever signed in")
  func removed() async throws {
    let ada = Customer(environment: .sandbox, name: "ada", storefrontCountryCode: "JPN")
    let shop = try await shop(ada)
    try await shop.store.addCustomer(Customer(environment: .production, name: "ada"))
    let (phone, tablet) = (try await shop.phone(signedInAs: "ada"), try await shop.phone("tablet"))
    let cursor = try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id).cursor
    let rings = shop.store.database.deviceChanges.count

    #expect(try await shop.store.removeCustomer("ada", .sandbox) == ada)
    #expect(try await shop.store.customers().map(\.name) == ["ada", "customer", "customer"])
    #expect(try await shop.store.installations().map(\.account) == [nil, "customer"])
    #expect(try await refusal { _ = try await shop.quote(on: phone) } == .signInRequired)
    #expect(try await shop.quote(on: tablet).account == "customer")
    let received = try await shop.store.changes(after: cursor, waitSeconds: 0, for: phone.id).changes
    #expect(received == [StoreChange(.storefrontChanged)], "signed out, the storefront is the one of nobody")
    #expect(shop.store.database.deviceChanges.count == rings + 1)
    await #expect(throws: AppStoreEmulatorError.unknownCustomer("ada", .sandbox)) {
      try await shop.store.removeCustomer("ada", .sandbox)
    }
  }

  @Test("one who bought stays")
  func bought() async throws {
    let shop = try await shop()
    _ = try await shop.store.purchase(TeaShop.oolong, of: TeaShop.app, for: "ada", in: .sandbox)
    try await expectRefusal(shop)
  }

  @Test("one whose payment was declined stays: a new customer of that name would inherit it")
  func declined() async throws {
    let shop = try await shop(Customer(environment: .sandbox, name: "ada", paymentMethod: .declined))
    let phone = try await shop.phone(signedInAs: "ada")
    #expect(try await refusal { try await shop.buy(on: phone) } == .paymentDeclined)
    try await expectRefusal(shop)
  }

  @Test("one whose payment waits for approval stays")
  func waiting() async throws {
    let shop = try await shop(Customer(environment: .sandbox, name: "ada", needsApproval: true))
    let phone = try await shop.phone(signedInAs: "ada")
    _ = try await shop.store.confirm(try await shop.quote(on: phone), for: phone.id)
    try await expectRefusal(shop)
  }

  @Test("B3 a quote for a deleted customer charges no one, and no refusal is stored")
  func quoted() async throws {
    let shop = try await shop()
    let phone = try await shop.phone(signedInAs: "ada")
    let quote = try await shop.quote(on: phone)
    try await shop.store.removeCustomer("ada", .sandbox)
    let before = try await shop.records()
    #expect(try await refusal { _ = try await shop.store.confirm(quote, for: phone.id) } == .accountGone)
    #expect(try await shop.records() == before)
  }
}
