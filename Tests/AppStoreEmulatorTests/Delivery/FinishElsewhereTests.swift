import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

/// Documentation/storekit2.md, "A finish by either interface".
@Suite("A finish on another installation", .timeLimit(.minutes(30)))
struct FinishElsewhereTests {
  private func finish(_ id: TransactionID, _ shop: TeaShop, on phone: Phone) async throws -> StoreRefusal.Code? {
    try await refusal { try await shop.store.finish(id, for: phone.id) }
  }

  private func isFinished(_ id: TransactionID, _ shop: TeaShop) async throws -> Bool {
    try await shop.store.transaction(id).stored.finishedDate != nil
  }

  @Test(
    "the owner can finish a transaction on each device on which the owner is signed in",
    arguments: [TeaShop.teapot, TeaShop.monthly, TeaShop.season])
  func owner(product: ProductID) async throws {
    let shop = try await TeaShop.lasting()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    try await shop.buy(product, on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    #expect(try await finish(id, shop, on: tablet) == nil)
    #expect(try await isFinished(id, shop))
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.isEmpty)
    #expect(try await finish(id, shop, on: phone) == nil)
  }

  @Test("a consumable is finished only where it was delivered")
  func consumable() async throws {
    let shop = try await TeaShop.lasting()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    try await shop.buy(on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    #expect(try await finish(id, shop, on: tablet) == .unknownTransaction)
    #expect(try await !isFinished(id, shop))
    #expect(try await finish(id, shop, on: phone) == nil)
  }

  @Test("another customer, another app and another environment finish nothing; nor does a device without a customer")
  func others() async throws {
    let shop = try await TeaShop.lasting()
    try await shop.store.serve("org.example.other", catalog: [TeaShop.file(TeaShop.lastingCatalog())])
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.teapot, on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    for other in [
      try await shop.phone("ada's", signedInAs: "ada"), try await shop.phone("other", app: "org.example.other"),
      try await shop.phone("live", in: .production), try await shop.phone("new", signedInAs: nil),
    ] {
      #expect(try await finish(id, shop, on: other) == .unknownTransaction, "\(other.id)")
    }
    #expect(try await !isFinished(id, shop))
    // A redelivery is of its device only.
    let tablet = try await shop.phone("tablet")
    try await shop.buy(TeaShop.teapot, as: "again", on: tablet)
    let redelivery = try #require(try await shop.store.transaction(id).redeliveries.first?.transactionID)
    #expect(try await finish(redelivery, shop, on: phone) == .unknownTransaction)
    #expect(try await finish(redelivery, shop, on: tablet) == nil)
    #expect(try await !isFinished(id, shop))
  }

  @Test("a purchase outside the app, and a relative's share, are finished on a device that has not requested them")
  func undelivered() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let ordered = try await shop.order(TeaShop.teapot).record.transactionID
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", family: "tea"))
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.family = "tea" }
    try await shop.order(TeaShop.samovar, for: "ada")
    let share = try #require(try await shop.store.transactions().first { $0.sharedTransactionID != nil })
    for id in [ordered, share.record.transactionID] { #expect(try await finish(id, shop, on: phone) == nil) }
    #expect(try await shop.store.unfinished(for: phone.id).deliveries.isEmpty)
  }
}
