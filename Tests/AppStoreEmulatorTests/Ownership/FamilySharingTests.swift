import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Family sharing", .timeLimit(.minutes(30)))
struct FamilySharingTests {
  /// Ada and Bob are a family; Cleo is not in it.
  private func shop() async throws -> TeaShop {
    let shop = try await TeaShop.lasting()
    for (name, family) in [("ada", "tea drinkers"), ("bob", "tea drinkers"), ("cleo", nil)] as [(AccountName, String?)]
    {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: family))
    }
    return shop
  }

  private func records(of account: AccountName, in shop: TeaShop) async throws -> [StoredTransaction] {
    try await shop.store.transactions(RecordFilter(account: account))
  }

  @Test("D1 H1 members get a record of their own: FAMILY_SHARED, free, with ids of its own, and other people none")
  func shared() async throws {
    let shop = try await shop()
    let phone = try await shop.phone(signedInAs: "ada")
    let bobs = try await shop.phone("bob's", signedInAs: "bob")
    let bought = try #require(try await shop.buy(TeaShop.samovar, on: phone).deliveries.first).signed
    let share = try #require(try await records(of: "bob", in: shop).first)
    #expect(share.record.ownership == .familyShared)
    #expect(share.record.price == .zero)
    #expect(share.record.transactionID != bought.transactionID)
    #expect(share.record.originalTransactionID == share.record.transactionID)
    #expect(share.sharedTransactionID == bought.transactionID)
    #expect(try await shop.store.unfinished(for: bobs.id).deliveries.map { try $0.signed.ownership } == [.familyShared])
    #expect(try await shop.appReceipt(on: bobs).inAppPurchases.map(\.transactionID) == [share.record.transactionID])
    #expect(try await records(of: "cleo", in: shop).isEmpty)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test(
    "D1 what is not shareable, or consumed, is not shared", arguments: [TeaShop.teapot, TeaShop.oolong, TeaShop.season])
  func notShareable(product: ProductID) async throws {
    let shop = try await shop()
    try await shop.buy(product, on: try await shop.phone(signedInAs: "ada"))
    #expect(try await records(of: "bob", in: shop).isEmpty)
  }

  @Test("D3 a member who buys what is shared is not charged")
  func memberBuys() async throws {
    let shop = try await shop()
    try await shop.buy(TeaShop.samovar, on: try await shop.phone(signedInAs: "ada"))
    let delivery = try #require(
      try await shop.buy(TeaShop.samovar, on: try await shop.phone("bob's", signedInAs: "bob")).deliveries.first)
    #expect(delivery.redelivery != nil)
    #expect(try delivery.signed.ownership == .familyShared)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("D1 a subscription that is shared ends when the purchaser's does")
  func subscription() async throws {
    let shop = try await shop()
    let bought = try #require(
      try await shop.buy(TeaShop.yearly, on: try await shop.phone(signedInAs: "ada")).deliveries.first)
    #expect(try await records(of: "bob", in: shop).first?.record.expiresDate == (try bought.signed.expiresDate))
  }

  @Test("D1 a subscription that has expired is not shared again when the family changes")
  func expired() async throws {
    let shop = try await shop()
    let phone = try await shop.phone(signedInAs: "ada")
    let bought = try #require(try await shop.buy(TeaShop.yearly, on: phone).deliveries.first).signed
    try await shop.store.setAutoRenew(ofSubscription: bought.transactionID, isOn: false)
    shop.clock.advance(seconds: 400 * 24 * 3600)
    try await shop.store.changeCustomer("cleo", .sandbox) { $0.family = "tea drinkers" }
    #expect(try await records(of: "bob", in: shop).count == 1)
    #expect(try await records(of: "cleo", in: shop).isEmpty)
  }

  @Test("D1 a new member shares in both directions; a member who leaves loses it in both, and devices are notified")
  func joiningAndLeaving() async throws {
    let shop = try await shop()
    let adas = try await shop.phone(signedInAs: "ada")
    let cleos = try await shop.phone("cleo's", signedInAs: "cleo")
    try await shop.buy(TeaShop.samovar, on: adas)
    try await shop.buy(TeaShop.yearly, on: cleos)
    try await shop.store.changeCustomer("cleo", .sandbox) { $0.family = "tea drinkers" }
    #expect(try await records(of: "cleo", in: shop).map(\.record.productID) == [TeaShop.samovar, TeaShop.yearly])
    #expect(Set(try await records(of: "ada", in: shop).map(\.record.productID)) == [TeaShop.samovar, TeaShop.yearly])
    #expect(Set(try await records(of: "bob", in: shop).map(\.record.productID)) == [TeaShop.samovar, TeaShop.yearly])

    let received = try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: cleos.id).cursor
    try await shop.store.changeCustomer("cleo", .sandbox) { $0.family = nil }
    func lost(_ account: AccountName) async throws -> [ProductID] {
      try await records(of: account, in: shop).filter { $0.record.revocationType == .familyRevoke }.map(
        \.record.productID)
    }
    #expect(try await lost("cleo") == [TeaShop.samovar])
    #expect(try await lost("ada") == [TeaShop.yearly])
    #expect(try await lost("bob") == [TeaShop.yearly])
    let changes = try await shop.store.changes(after: received, waitSeconds: 0, for: cleos.id).changes
    #expect(changes.filter { $0.kind == .entitlementsRevoked }.map(\.productIDs) == [[TeaShop.samovar]])
    #expect(try await shop.restored(on: cleos).isEmpty)
  }

  @Test("D1 when the purchaser is refunded the family loses it, unless another of them bought it too")
  func refunded() async throws {
    let shop = try await shop()
    try await shop.store.changeCustomer("cleo", .sandbox) { $0.family = "tea drinkers" }
    let bought = try #require(
      try await shop.buy(TeaShop.samovar, on: try await shop.phone(signedInAs: "ada")).deliveries.first)
    let id = try bought.signed.transactionID
    try await shop.store.refund(id, reason: .issueWithApp)
    for member in ["bob", "cleo"] as [AccountName] {
      let record = try #require(try await records(of: member, in: shop).first).record
      #expect(record.revocationType == .familyRevoke)
      #expect(record.revocationReason == .issueWithApp)
      #expect(record.revocationDate != nil)
    }
    // Now Bob buys it, and the family has it from him.
    try await shop.buy(TeaShop.samovar, on: try await shop.phone("bob's", signedInAs: "bob"))
    #expect(try await records(of: "cleo", in: shop).filter { $0.record.revocationDate == nil }.count == 1)
    #expect(try await shop.store.charges().count == 2)
  }
}
