import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Restoring", .timeLimit(.minutes(30)))
struct RestoreTests {
  @Test(
    "E1 D1 returns every restorable kind, never consumables and non-renewing subscriptions, each under an id of its own"
  )
  func kinds() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    for product in [TeaShop.oolong, TeaShop.teapot, TeaShop.monthly, TeaShop.news, TeaShop.season] {
      let batch = try await shop.buy(product, as: PaymentID(product.rawValue), on: phone)
      try await shop.store.finish(try #require(batch.deliveries.first).signed.transactionID, for: phone.id)
    }
    let tablet = try await shop.phone("tablet")
    let restored = try await shop.restored(on: tablet)
    #expect(try restored.map { try $0.signed.productID } == [TeaShop.teapot, TeaShop.monthly, TeaShop.news])
    for delivery in restored {
      let redelivery = try #require(delivery.redelivery)
      let signed = try delivery.signed
      #expect(redelivery.transactionID != signed.transactionID)
      #expect(delivery.paymentID == nil)
      let legacy = try UnverifiedLegacyReceipt(try #require(delivery.transactionReceipt)).receipt
      #expect(legacy.transactionID == redelivery.transactionID)
      #expect(legacy.originalTransactionID == signed.originalTransactionID)
      #expect(legacy.originalPurchaseDate == signed.originalPurchaseDate)
    }
    #expect(try await shop.store.charges().count == 4)
    #expect(try await shop.store.unfinished(for: tablet.id).deliveries.isEmpty)
  }

  @Test("E5 any number of times with the same result, and only the next transaction number changes")
  func again() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let batch = try await shop.buy(TeaShop.teapot, on: phone)
    try await shop.store.finish(try #require(batch.deliveries.first).signed.transactionID, for: phone.id)
    let tablet = try await shop.phone("tablet")
    let before = try await shop.records().filter { $0.key != "store" }
    let first = try await shop.restored(on: tablet)
    let second = try await shop.restored(on: tablet)
    #expect(try await shop.records().filter { $0.key != "store" } == before)
    #expect(try first.map { try $0.signed.transactionID } == (try second.map { try $0.signed.transactionID }))
    #expect(Set((first + second).map { $0.redelivery?.transactionID }).count == 2)
  }

  @Test("E3 with nothing to restore the page is empty, and brings the receipt")
  func nothing() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    let page = try await shop.store.restore(after: nil, for: phone.id)
    #expect(page.batch.deliveries.isEmpty)
    #expect(page.next == nil)
    #expect(try UnverifiedAppReceipt(try #require(page.batch.receipt)).receipt.inAppPurchases.isEmpty)
  }

  @Test("E4 without a sign-in the customer has to sign in first")
  func signInFirst() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone(signedInAs: nil)
    #expect(try await refusal { _ = try await shop.store.restore(after: nil, for: phone.id) } == .signInRequired)
  }

  @Test("E1 what is unfinished on this installation is in its queue and not restored; on another it is")
  func unfinishedHere() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.teapot, on: phone)
    #expect(try await shop.restored(on: phone).isEmpty)
    #expect(try await shop.restored(on: try await shop.phone("tablet")).count == 1)
  }

  @Test("E1 the wrong account restores its own and nothing of the other's")
  func wrongAccount() async throws {
    let shop = try await TeaShop.lasting()
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    try await shop.buy(TeaShop.teapot, on: try await shop.phone())
    #expect(try await shop.restored(on: try await shop.phone("bob's", signedInAs: "bob")).isEmpty)
  }

  @Test(
    "E1 E5 two hundred and fifty items come in pages, in order, each once; what is bought meanwhile is not part of it")
  func pages() async throws {
    let shop = try await TeaShop()
    let products = (0..<250).map {
      ProductDefinition(productID: ProductID("cup \($0)"), type: .nonConsumable, price: Milliunits(1_000))
    }
    try await shop.sell(products + TeaShop.catalog())
    for product in products {
      _ = try await shop.store.purchase(product.productID, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    }
    let phone = try await shop.phone()
    var cursor: RestoreCursor?
    var sizes: [Int] = []
    var restored: [ProductID] = []
    repeat {
      let page = try await shop.store.restore(after: cursor, for: phone.id)
      #expect((page.batch.receipt != nil) == (cursor == nil))
      if cursor == nil {
        _ = try await shop.store.purchase(TeaShop.teapot, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
      }
      sizes.append(page.batch.deliveries.count)
      restored += try page.batch.deliveries.map { try $0.signed.productID }
      cursor = page.next
    } while cursor != nil
    #expect(sizes == [100, 100, 50])
    #expect(restored == products.map(\.productID))
  }

  @Test("E1 a purchase refunded between two pages is not returned")
  func refundedMeanwhile() async throws {
    let shop = try await TeaShop()
    let products = (0..<101).map {
      ProductDefinition(productID: ProductID("cup \($0)"), type: .nonConsumable, price: Milliunits(1_000))
    }
    try await shop.sell(products)
    var last: StoredTransaction?
    for product in products {
      last = try await shop.store.purchase(product.productID, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    }
    let phone = try await shop.phone()
    let first = try await shop.store.restore(after: nil, for: phone.id)
    try await shop.store.refund(try #require(last).record.transactionID)
    let next = try #require(first.next)
    let second = try await shop.store.restore(after: next, for: phone.id)
    #expect(second.batch.deliveries.isEmpty)
    #expect(second.next == nil)
  }

  @Test("E1 the application username of a purchase stays; the one given is for those that have none")
  func applicationUsername() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.teapot, as: "1", username: "leaf", on: phone)
    try await shop.buy(TeaShop.samovar, as: "2", on: phone)
    let tablet = try await shop.phone("tablet")
    #expect(try await shop.restored(on: tablet, username: "stem").map(\.applicationUsername) == ["leaf", "stem"])
    #expect(try await shop.restored(on: tablet).map(\.applicationUsername) == ["leaf", nil])
  }

  @Test("E1 a restored subscription's legacy receipt is of the period that was restored, also after it was refunded")
  func subscriptionPeriods() async throws {
    let shop = try await TeaShop.lasting()
    let phone = try await shop.phone()
    try await shop.buy(TeaShop.monthly, on: phone)
    shop.clock.advance(seconds: 65 * 24 * 3600)
    let ids: [TransactionID] = try await shop.store.transactions().map(\.record.transactionID).reversed()
    #expect(ids.count == 3)
    for id in ids { try await shop.store.finish(id, for: phone.id) }
    let restored = try await shop.restored(on: try await shop.phone("tablet"))
    #expect(try restored.map { try $0.signed.transactionID } == ids)
    #expect(Set(try restored.map { try $0.signed.originalTransactionID }) == [ids[0]])
    try await shop.store.refund(ids[1])
    let password = try #require(try await shop.store.apps().first).sharedSecret
    var refunded: [Bool] = []
    for delivery in restored {
      let answer = try await VerifyReceiptAnswer(shop, try #require(delivery.transactionReceipt), password: password)
      refunded.append(answer.transaction["cancellation_date"] != nil)
    }
    #expect(refunded == [false, true, false])
  }
}
