import AppStoreServerAPI
import Foundation
import OpenStoreKit
import ShopFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Purchases with a token of the developer's server", .timeLimit(.minutes(30)))
struct ServerTokenTests {
  @Test("B9 a new period with the token that the developer's server has set reaches a device whose payment has none")
  func upgrade() async throws {
    let shop = try await TeaShop()
    try await shop.sell(ClubCatalog.definitions)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let phone = try await ObservedPhone(.ada, shop, seed: 1)
    let server = try await TeaServer(shop)
    #expect(try await phone.buy(ClubPurchase(person: .ada, product: "silver"), asks: false) == .purchased)
    let token = UUID()
    let original = try await shop.newestTransaction().record.originalTransactionID
    try await server.send(SetAppAccountToken(originalTransactionId: original, appAccountToken: token))
    #expect(try await phone.buy(ClubPurchase(person: .ada, product: "gold"), asks: false) == .purchased)
    #expect(try await shop.newestTransaction().record.appAccountToken == token)
    try await phone.device.close()
  }

  @Test(
    "B9 a charged payment whose answer was lost is purchased, although the developer's server has set another token since",
    arguments: [nil, UUID()])
  func answerLost(token: UUID?) async throws {
    let shop = try await TeaShop()
    try await shop.sell(ClubCatalog.definitions)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let retry = ManualRetry()
    let phone = try await ObservedPhone(.ada, shop, seed: 1, losingAnswer: retry)
    let server = try await TeaServer(shop)
    async let state = phone.buy(ClubPurchase(person: .ada, product: "silver", token: token), asks: false)
    #expect(await retry.nextWait() == 1)
    let original = try await shop.newestTransaction().record.originalTransactionID
    try await server.send(SetAppAccountToken(originalTransactionId: original, appAccountToken: UUID()))
    retry.release()
    #expect(try await state == .purchased)
    #expect(try await shop.store.charges().count == 1)
    try await phone.device.close()
  }
}
