import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("A payment id", .timeLimit(.minutes(30)))
struct PaymentIdentityTests {
  private func transactionIDs(_ batch: DeliveryBatch) throws -> [TransactionID] {
    try batch.deliveries.map { try UnverifiedJWS($0.signedTransaction).transaction().transactionID }
  }

  @Test("B9 asked again is answered with the same transaction and charged once")
  func again() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let first = try await shop.store.confirm(quote, for: phone.id).purchase()
    for _ in 1...3 {
      shop.clock.advance(seconds: 60)
      let batch = try await shop.store.confirm(quote, for: phone.id).purchase()
      #expect(try transactionIDs(batch) == transactionIDs(first))
      #expect(batch.deliveries.map(\.paymentID) == ["payment 1"])
    }
    #expect(try await shop.store.charges().count == 1)
    #expect(try await shop.store.transactions().count == 1)
  }

  @Test("B9 asked again after a change of price is answered as before, at the old price")
  func afterPriceChange() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let first = try await shop.store.confirm(quote, for: phone.id).purchase()
    try await shop.sell(TeaShop.catalog(oolongPrice: 9990))
    let second = try await shop.store.confirm(quote, for: phone.id).purchase()
    #expect(try transactionIDs(second) == transactionIDs(first))
    // The same is true if the device requests another quote, because it lost the last entry of its journal.
    let third = try await shop.buy(on: phone)
    #expect(try transactionIDs(third) == transactionIDs(first))
    #expect(try await shop.store.charges().map(\.amount) == [Milliunits(1990)])
  }

  @Test("B9 asked again after the product is gone, or the card declined, is answered as before")
  func afterProductGone() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let first = try await shop.store.confirm(quote, for: phone.id).purchase()
    try await shop.sell([])
    try await shop.store.changeCustomer(TeaShop.customer, .sandbox) { $0.paymentMethod = .declined }
    #expect(try transactionIDs(try await shop.store.confirm(quote, for: phone.id).purchase()) == transactionIDs(first))
  }

  @Test("B9 asked again after it was finished gives the same transaction, and the receipt no longer lists it")
  func afterFinish() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let first = try await shop.store.confirm(quote, for: phone.id).purchase()
    let id = try #require(try transactionIDs(first).first)
    try await shop.store.finish(id, for: phone.id)
    let again = try await shop.store.confirm(quote, for: phone.id).purchase()
    #expect(try transactionIDs(again) == [id])
    #expect(try UnverifiedAppReceipt(try #require(again.receipt)).receipt.inAppPurchases.isEmpty)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("B9 asked again after the store was closed and opened, it is the same transaction and one charge")
  func afterRestart() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let unconfirmed = try await shop.quote(as: "payment 2", on: phone)
    let first = try await shop.store.confirm(quote, for: phone.id).purchase()
    var books = try await shop.records()
    try shop.store.close()

    // A store keeps the seed of its creation, so opening it with another seed is an error.
    await #expect(throws: AppStoreEmulatorError.otherSeed) { try await TeaShop(seed: 99, directory: folder.url) }
    let reopened = try await TeaShop(directory: folder.url)
    #expect(reopened.store.epoch == shop.store.epoch)
    var records = try await reopened.records()
    // The sequence numbers of changes are skipped, and so are revisions.
    (books["sqlite_sequence"], records["sqlite_sequence"]) = (nil, nil)
    let revision = /nextRevision:\d+/
    books["store"] = books["store"]?.map { $0.replacing(revision, with: "") }
    records["store"] = records["store"]?.map { $0.replacing(revision, with: "") }
    #expect(records == books)
    #expect(
      try transactionIDs(try await reopened.store.confirm(quote, for: phone.id).purchase()) == transactionIDs(first))
    #expect(try await reopened.store.charges().count == 1)
    // A quote from before the restart is still valid, and transaction numbers continue.
    let second = try await reopened.store.confirm(unconfirmed, for: phone.id).purchase()
    #expect(try #require(try transactionIDs(second).first) > #require(try transactionIDs(first).first))
    #expect(try await reopened.store.charges().count == 2)
    try reopened.store.close()
  }

  @Test("B9 asked by fifty tasks at once, it is one transaction and one charge")
  func concurrently() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let store = shop.store
    let ids = try await withThrowingTaskGroup(of: [TransactionID].self) { group in
      for _ in 1...50 {
        group.addTask {
          try await store.confirm(quote, for: phone.id).purchase().deliveries.map {
            try UnverifiedJWS($0.signedTransaction).transaction().transactionID
          }
        }
      }
      return try await group.reduce(into: Set<[TransactionID]>()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    #expect(try await shop.store.transactions().count == 1)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("fifty payment ids at once are fifty transactions and fifty charges, each with an id of its own")
  func manyAtOnce() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...50 {
        group.addTask { try await shop.buy(as: PaymentID("payment \(number)"), on: phone) }
      }
      try await group.waitForAll()
    }
    #expect(Set(try await shop.store.transactions().map(\.record.transactionID)).count == 50)
    #expect(Set(try await shop.store.charges().map(\.transactionID)).count == 50)
    #expect(Set(try await shop.store.transactions().map(\.paymentID)).count == 50)
  }

  @Test("B9 for something else it is a conflict: nothing is changed and the first answer stands")
  func conflict() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let quote = try await shop.quote(on: phone)
    let others = [
      try await shop.quote(TeaShop.sencha, on: phone), try await shop.quote(quantity: 2, on: phone),
      try await shop.quote(username: "somebody", on: phone),
    ]
    let first = try await shop.store.confirm(quote, for: phone.id).purchase()
    let before = try await shop.records()
    for other in others {
      #expect(try await refusal { _ = try await shop.store.confirm(other, for: phone.id) } == .paymentConflict)
    }
    #expect(try await shop.records() == before)
    #expect(try transactionIDs(try await shop.store.confirm(quote, for: phone.id).purchase()) == transactionIDs(first))
  }

  @Test("B9 confirmed by another account it is a conflict")
  func conflictOfAccounts() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    _ = try await shop.store.signIn(SignInCredentials(account: "bob"), on: phone.id)
    let other = try await shop.quote(on: phone)
    #expect(try await refusal { _ = try await shop.store.confirm(other, for: phone.id) } == .paymentConflict)
    #expect(try await shop.store.charges().map(\.account) == [TeaShop.customer])
  }

  @Test("B9 is scoped to its installation: two devices that chose the same id are two payments")
  func scope() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    let first = try await shop.buy(as: "same", on: phone)
    let second = try await shop.buy(as: "same", on: tablet)
    #expect(try transactionIDs(first) != transactionIDs(second))
    #expect(try await shop.store.charges().count == 2)
  }
}
