import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The legacy receipt of a delivered transaction", .timeLimit(.minutes(30)))
struct LegacyReceiptTests {
  @Test(
    "B3 F3 H1 is signed by the store, for this app, environment and device, and says what the record says",
    arguments: [StoreEnvironment.sandbox, .production])
  func genuine(environment: StoreEnvironment) async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(in: environment, version: "3.1")
    let delivery = try #require(try await shop.buy(quantity: 3, on: phone).deliveries.first)
    let record = try await shop.newestTransaction().record
    let receipt = try await SignedDataVerifier(anchors: try shop.store.authority.anchors).verifyLegacyReceipt(
      try #require(delivery.transactionReceipt),
      expecting: Expectation(
        bundleID: TeaShop.app, environments: [environment], device: .vendorIdentifier(phone.vendorID))
    ).value
    #expect(receipt.transactionID == record.transactionID)
    #expect(receipt.originalTransactionID == record.originalTransactionID)
    #expect(receipt.productID == record.productID)
    #expect(receipt.purchaseDate == record.purchaseDate)
    #expect(receipt.originalPurchaseDate == record.originalPurchaseDate)
    #expect(receipt.quantity == 3)
    #expect(receipt["bvrs"] == "3.1")
    #expect(receipt["item-id"] == "\(record.itemID)")
  }

  @Test("H1 a subscription's receipt, and verifyReceipt's answer to it, have its group and its ownership")
  func subscription() async throws {
    let shop = try await TeaShop.lasting()
    for name in ["ada", "bob"] as [AccountName] {
      try await shop.store.addCustomer(Customer(environment: .sandbox, name: name, family: "tea drinkers"))
    }
    let bought = try await shop.buy(TeaShop.yearly, on: try await shop.phone(signedInAs: "ada"))
    let bobs = try await shop.phone("bob's", signedInAs: "bob")
    let shared = try await shop.store.unfinished(for: bobs.id)
    let password = try await shop.store.app(TeaShop.app).sharedSecret
    for (batch, ownership) in [(bought, "PURCHASED"), (shared, "FAMILY_SHARED")] {
      let data = try #require(batch.deliveries.first?.transactionReceipt)
      let receipt = try UnverifiedLegacyReceipt(data).receipt
      #expect(receipt["subscription-group-identifier"] == "club")
      #expect(receipt["in-app-ownership-type"] == ownership)
      let answer = try await VerifyReceiptAnswer(shop, data, password: password)
      #expect(answer.transaction["subscription_group_identifier"] == "club")
      #expect(answer.transaction["in_app_ownership_type"] == ownership)
      let latest = try #require(answer.json["latest_receipt_info"] as? [String: String])
      #expect(latest["subscription_group_identifier"] == "club" && latest["in_app_ownership_type"] == ownership)
    }
    let season = try await shop.buy(TeaShop.season, as: "season", on: bobs).deliveries.first?.transactionReceipt
    let receipt = try UnverifiedLegacyReceipt(#require(season)).receipt
    #expect(receipt["subscription-group-identifier"] == nil && receipt["in-app-ownership-type"] == nil)
  }

  @Test("B3 an app whose catalog numbers it 0 gets a number, so that production's receipts are production's")
  func numberOfApp() async throws {
    let shop = try await TeaShop()
    try await shop.store.serve(TeaShop.app, catalog: [TeaShop.file(TeaShop.catalog(), appAppleID: "0")])
    let phone = try await shop.phone(in: .production)
    let data = try #require(try await shop.buy(on: phone).deliveries.first?.transactionReceipt)
    #expect(try UnverifiedLegacyReceipt(data).receipt.environment == .production)
  }

  @Test("B3 B4 each of many transactions carries its own receipt, in their order, for any request")
  func many() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    for quantity in 1...7 {
      _ = try await shop.store.purchase(
        TeaShop.oolong, quantity: quantity, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    }
    let batch = try await shop.store.unfinished(for: phone.id)
    let receipts = try batch.deliveries.map {
      try UnverifiedLegacyReceipt(try #require($0.transactionReceipt)).receipt
    }
    #expect(receipts.map(\.quantity) == Array(1...7))
    let transactions = try batch.deliveries.map { try UnverifiedJWS($0.signedTransaction).transaction() }
    #expect(receipts.map(\.transactionID) == transactions.map(\.transactionID))
    let signedDates = transactions.map(\.signedDate)
    #expect(signedDates == signedDates.sorted())
    #expect(Set(signedDates).count == 7)
  }

  @Test("H1 delivered again it is the same, byte for byte; in another version of the app it names that version")
  func again() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(version: "3.1")
    let first = try await shop.buy(on: phone).deliveries.first?.transactionReceipt
    shop.clock.advance(seconds: 86_400)
    let second = try await shop.store.unfinished(for: phone.id).deliveries.first?.transactionReceipt
    #expect(first != nil)
    #expect(first == second)
    try await shop.phone(version: "4.0")
    let third = try #require(try await shop.store.unfinished(for: phone.id).deliveries.first?.transactionReceipt)
    #expect(try UnverifiedLegacyReceipt(third).receipt["bvrs"] == "4.0")
  }
}
