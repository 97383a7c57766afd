import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("What an account owns", .timeLimit(.minutes(30)))
struct OwnershipTests {
  @Test(
    "D1 D3 H2 bought again it is not charged: the record it was bought by comes under an id of its own, with the first as original"
  )
  func boughtAgain() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let first = try #require(try await shop.buy(TeaShop.teapot, on: phone).deliveries.first)
    let id = try first.signed.transactionID
    #expect(first.redelivery == nil)
    try await shop.store.finish(id, for: phone.id)

    for (number, name) in ["phone", "tablet", "another"].enumerated() {
      let device = try await shop.phone(name)
      let again = try #require(
        try await shop.buy(TeaShop.teapot, as: PaymentID("again \(number)"), on: device).deliveries.first)
      let redelivery = try #require(again.redelivery)
      #expect(redelivery.transactionID != id)
      #expect(try again.signed.transactionID == id)
      #expect(again.paymentID == PaymentID("again \(number)"))
      let legacy = try UnverifiedLegacyReceipt(try #require(again.transactionReceipt)).receipt
      #expect(legacy.transactionID == redelivery.transactionID)
      #expect(legacy.originalTransactionID == id)
      let original = try UnverifiedLegacyReceipt(try #require(redelivery.originalReceipt)).receipt
      #expect(original.transactionID == id)
      #expect(try await shop.store.unfinished(for: device.id).deliveries.map(\.redelivery) == [redelivery])
      try await shop.store.finish(redelivery.transactionID, for: device.id)
      #expect(try await shop.store.unfinished(for: device.id).deliveries.isEmpty)
    }
    #expect(try await shop.store.charges().count == 1)
    #expect(try await shop.store.transactions().count == 1)
  }

  @Test("D3 the same payment id asked again gets the same redelivery")
  func sameAnswer() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.teapot, on: phone)
    let quote = try await shop.quote(TeaShop.teapot, as: "again", on: phone)
    let first = try await shop.store.confirm(quote, for: phone.id).purchase().deliveries.map(\.redelivery)
    let second = try await shop.store.confirm(quote, for: phone.id).purchase().deliveries.map(\.redelivery)
    #expect(first == second)
    #expect(first.first != .some(nil))
  }

  @Test("D3 bought again while the first transaction is unfinished: both are in the list, charged once")
  func firstUnfinished() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.teapot, on: phone)
    try await shop.buy(TeaShop.teapot, as: "again", on: phone)
    let unfinished = try await shop.store.unfinished(for: phone.id).deliveries
    #expect(unfinished.map(\.paymentID) == ["payment 1", "again"])
    #expect(Set(try unfinished.map { try $0.signed.transactionID }).count == 1)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("D1 two devices at the same instant: one charge, and the loser gets the original")
  func race() async throws {
    let shop = try await TeaShop.lasting()
    let store = shop.store
    for round in 0..<10 {
      let product = ProductID("teapot \(round)")
      try await shop.sell(
        TeaShop.lastingCatalog() + [
          ProductDefinition(productID: product, type: .nonConsumable, price: Milliunits(1_000))
        ])
      let phones = [try await shop.phone(), try await shop.phone("tablet")]
      var quotes: [(InstallationID, PaymentQuote)] = []
      for phone in phones {
        quotes.append((phone.id, try await shop.quote(product, as: PaymentID("round \(round)"), on: phone)))
      }
      let deliveries = try await withThrowingTaskGroup(of: [TransactionDelivery].self) { group in
        for (phone, quote) in quotes {
          group.addTask { try await store.confirm(quote, for: phone).purchase().deliveries }
        }
        return try await group.reduce(into: []) { $0 += $1 }
      }
      #expect(deliveries.count { $0.redelivery == nil } == 1)
      #expect(Set(try deliveries.map { try $0.signed.transactionID }).count == 1)
      #expect(try await store.charges().count == round + 1)
    }
  }

  @Test("D1 another account, another environment and another app are charged for themselves")
  func others() async throws {
    let shop = try await TeaShop.lasting()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    let phones = [
      try await shop.phone(), try await shop.phone("bob's", signedInAs: "bob"),
      try await shop.phone("production", in: .production),
    ]
    for phone in phones { try await shop.buy(TeaShop.teapot, on: phone) }
    #expect(try await shop.store.charges().count == 3)
  }

  @Test("D3 signed in on someone else's device, the account gets what is its own, without charge")
  func someoneElsesDevice() async throws {
    let shop = try await TeaShop.lasting()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    try await shop.buy(TeaShop.teapot, on: try await shop.phone())
    let phone = try await shop.phone("bob's", signedInAs: "bob")
    _ = try await shop.store.signIn(SignInCredentials(account: TeaShop.customer), on: phone.id)
    #expect(try await shop.buy(TeaShop.teapot, on: phone).deliveries.first?.redelivery != nil)
    _ = try await shop.store.signIn(SignInCredentials(account: "bob"), on: phone.id)
    #expect(try await shop.buy(TeaShop.teapot, as: "bob's", on: phone).deliveries.first?.redelivery == nil)
    #expect(try await shop.store.charges().map(\.account) == ["bob", TeaShop.customer])
  }

  @Test(
    "D3 what is held is given whatever the price, the card and the approval are by then, also where it is sold no more")
  func nothingIsCharged() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    let quote = try await shop.quote(TeaShop.teapot, on: tablet)
    try await shop.buy(TeaShop.teapot, on: phone)
    try await shop.sell(TeaShop.catalog().filter { $0.productID != TeaShop.teapot })
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) {
      $0.paymentMethod = .declined
      $0.needsApproval = true
    }
    #expect(try await shop.store.confirm(quote, for: tablet.id).purchase().deliveries.first?.redelivery != nil)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("D3 what waits for approval and is bought elsewhere meanwhile is given without charge when it is approved")
  func approvedLater() async throws {
    let shop = try await TeaShop.lasting()
    let (phone, tablet) = (try await shop.phone(), try await shop.phone("tablet"))
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = true }
    let quote = try await shop.quote(TeaShop.teapot, on: phone)
    #expect(try await shop.store.confirm(quote, for: phone.id) == .deferred)
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.needsApproval = false }
    try await shop.buy(TeaShop.teapot, on: tablet)
    try await shop.store.decideApproval(of: "payment 1", on: phone.id, isApproved: true)
    #expect(try await shop.store.confirm(quote, for: phone.id).purchase().deliveries.first?.redelivery != nil)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("D3 an operator's purchase of what is held is refused and charges nothing")
  func operatorsPurchase() async throws {
    let shop = try await TeaShop.lasting()
    try await shop.buy(TeaShop.teapot, on: try await shop.phone())
    let before = try await shop.store.charges()
    #expect(
      try await refusal {
        _ = try await shop.store.purchase(TeaShop.teapot, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
      } == .alreadyOwned)
    #expect(try await shop.store.charges() == before)
  }

  @Test("H1 H2 receipts, verifyReceipt and the records show one record of a repeated purchase")
  func oneRecord() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let id = try #require(try await shop.buy(TeaShop.teapot, on: phone).deliveries.first).signed.transactionID
    let again = try await shop.buy(TeaShop.teapot, as: "again", on: phone)
    let listed = try await shop.appReceipt(on: phone).inAppPurchases
    #expect(listed.map(\.transactionID) == [id])
    #expect(try await shop.store.transactions().map(\.record.transactionID) == [id])
    let answer = try await VerifyReceiptAnswer(shop, try #require(again.receipt))
    #expect(answer.inApp.map { $0["transaction_id"] } == [id.rawValue])
    #expect(answer.inApp.map { $0["original_transaction_id"] } == [id.rawValue])
  }

  @Test("E2 G6 the legacy receipt of a redelivery is verified, and says when what it goes back to was refunded")
  func legacyReceipt() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let id = try #require(try await shop.buy(TeaShop.teapot, on: phone).deliveries.first).signed.transactionID
    let again = try #require(try await shop.buy(TeaShop.teapot, as: "again", on: phone).deliveries.first)
    let receipt = try #require(again.transactionReceipt)
    let before = try await VerifyReceiptAnswer(shop, receipt)
    #expect(before.status == 0)
    #expect(before.transaction["original_transaction_id"] == id.rawValue)
    #expect(before.transaction["cancellation_date"] == nil)
    try await shop.store.refund(id)
    #expect(try await VerifyReceiptAnswer(shop, receipt).transaction["cancellation_date"] != nil)
  }
}
