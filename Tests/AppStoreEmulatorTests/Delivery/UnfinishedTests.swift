import Foundation
import SignedData
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("Unfinished transactions", .timeLimit(.minutes(30)))
struct UnfinishedTests {
  private func listed(_ shop: TeaShop, on phone: Phone) async throws -> [TransactionID] {
    try await shop.store.unfinished(for: phone.id).deliveries.map {
      try UnverifiedJWS($0.signedTransaction).transaction().transactionID
    }
  }

  @Test("B4 a transaction is listed until it is finished, oldest first, and only for the installation that paid")
  func listedUntilFinished() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    try await shop.buy(as: "one", on: phone)
    let one = try await shop.newestTransaction().record.transactionID
    try await shop.buy(as: "two", on: phone)
    let two = try await shop.newestTransaction().record.transactionID

    for _ in 1...2 { #expect(try await listed(shop, on: phone) == [one, two]) }
    #expect(try await listed(shop, on: tablet).isEmpty)
    try await shop.store.finish(one, for: phone.id)
    #expect(try await listed(shop, on: phone) == [two])
    try await shop.store.finish(two, for: phone.id)
    #expect(try await listed(shop, on: phone).isEmpty)
    #expect(try await shop.store.transactions().count == 2, "the store keeps the record for ever")
  }

  @Test("B4 many unfinished transactions are listed in pages, each once, also if some are finished meanwhile")
  func pages() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    for _ in 0..<230 {
      _ = try await shop.store.purchase(TeaShop.sencha, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    }
    let all = try await shop.store.transactions(RecordFilter(limit: 1_000)).reversed().map(\.record.transactionID)
    var (pages, listed): ([Int], [TransactionID]) = ([], [])
    var batch = try await shop.store.unfinished(for: phone.id)
    #expect(batch.receipt != nil)
    // A revoked one is not delivered, but has its place in a page.
    try await shop.store.refund(all[150])
    while true {
      let ids = try batch.deliveries.map { try UnverifiedJWS($0.signedTransaction).transaction().transactionID }
      pages.append(ids.count)
      listed += ids
      if let first = ids.first { try await shop.store.finish(first, for: phone.id) }
      guard let next = batch.next else { break }
      batch = try await shop.store.unfinished(after: next, for: phone.id)
      #expect(batch.receipt == nil)
    }
    #expect(pages == [100, 99, 30])
    #expect(listed == all.filter { $0 != all[150] })
  }

  @Test(
    "B4 B9 what an app that was deleted left unfinished comes to the one installed in its place, once who paid signs in"
  )
  func reinstalled() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(quantity: 3, on: phone)
    let paid = try await shop.newestTransaction().record.transactionID
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "greta"))
    let (tablet, again) = (try await shop.phone("tablet"), try await shop.phone(installation: 2, signedInAs: nil))
    #expect(try await listed(shop, on: again).isEmpty)
    _ = try await shop.store.signIn(SignInCredentials(account: "greta"), on: again.id)
    #expect(try await listed(shop, on: again).isEmpty)
    _ = try await shop.store.signIn(SignInCredentials(account: TeaShop.customer), on: again.id)
    let received = try await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: again.id)
    #expect(received.changes == [StoreChange(.transactionsWaiting)])
    let batch = try await shop.store.unfinished(for: again.id)
    #expect(batch.deliveries.map(\.paymentID) == [nil])
    #expect(try await listed(shop, on: again) == [paid])
    // Neither the other device nor the previous installation has the transaction any more.
    for other in [tablet, phone] {
      #expect(try await listed(shop, on: other).isEmpty)
      #expect(try await refusal { try await shop.store.finish(paid, for: other.id) } == .unknownTransaction)
    }
    try await shop.store.finish(paid, for: again.id)
    #expect(try await listed(shop, on: try await shop.phone(installation: 3)).isEmpty)
    #expect(try await shop.store.charges().count == 1)
  }

  @Test("B4 a delivery names the payment it answers and the user name the app gave")
  func delivery() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let bought = try await shop.buy(as: "one", username: "not a UUID", on: phone)
    for batch in [bought, try await shop.store.unfinished(for: phone.id)] {
      #expect(batch.deliveries.map(\.paymentID) == ["one"])
      #expect(batch.deliveries.map(\.applicationUsername) == ["not a UUID"])
    }
    #expect(try await shop.newestTransaction().record.appAccountToken == nil)
  }

  @Test("B9 an unfinished transaction is listed again after a restart of the store, and a finished one is not")
  func restart() async throws {
    let folder = try ScratchFolder()
    defer { folder.remove() }
    let shop = try await TeaShop(directory: folder.url)
    let phone = try await shop.phone()
    try await shop.buy(as: "one", on: phone)
    let one = try await shop.newestTransaction().record.transactionID
    try await shop.buy(as: "two", on: phone)
    let two = try await shop.newestTransaction().record.transactionID
    try await shop.store.finish(one, for: phone.id)
    try shop.store.close()
    let reopened = try await TeaShop(directory: folder.url)
    #expect(try await listed(reopened, on: phone) == [two])
    try reopened.store.close()
  }

  @Test("B4 what another account left unfinished on this installation is still delivered to it")
  func anotherAccountSignedIn() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    _ = try await shop.store.signIn(SignInCredentials(account: "bob"), on: phone.id)
    #expect(try await listed(shop, on: phone).count == 1)
  }

  @Test("B4 finishing twice is the same as once: the first date stays")
  func finishTwice() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    shop.clock.advance(seconds: 5)
    try await shop.store.finish(id, for: phone.id)
    let finished = try await shop.newestTransaction()
    #expect(finished.finishedDate == TeaShop.opening.adding(seconds: 5))
    shop.clock.advance(seconds: 5)
    try await shop.store.finish(id, for: phone.id)
    #expect(try await shop.newestTransaction() == finished)
  }

  @Test("B4 finishing what another installation paid for, or what never was, is refused and changes nothing")
  func foreignFinish() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    let tablet = try await shop.phone("tablet")
    try await shop.buy(on: phone)
    let id = try await shop.newestTransaction().record.transactionID
    let before = try await shop.records()
    #expect(try await refusal { try await shop.store.finish(id, for: tablet.id) } == .unknownTransaction)
    #expect(try await refusal { try await shop.store.finish(TransactionID(1), for: phone.id) } == .unknownTransaction)
    #expect(try await refusal { try await shop.store.finish(id, for: "stranger") } == .unknownInstallation)
    #expect(try await shop.records() == before)
  }

  @Test("an unregistered installation is asked to register, and gets no list")
  func unregistered() async throws {
    let shop = try await TeaShop()
    #expect(
      try await refusal { _ = try await shop.store.unfinished(for: "stranger") } == .unknownInstallation)
  }
}
