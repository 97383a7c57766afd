import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

/// Documentation/storekit2.md, "Announcements".
@Suite("Announcements", .timeLimit(.minutes(10)))
struct AnnouncementTests {
  @Test("a purchase on another device is announced, and its refund again; what an app has received is not")
  func elsewhere() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let updates = device.registerTransactionUpdates()
    try await device.takeHistoryIn()
    let id = try await test.boughtLongAgo(TestStore.sepia)
    #expect(await device.refresh().isCurrent)
    #expect(await updates.next()?.stored == id)
    let first = try #require(try device.announcement(of: id))
    #expect(try first > 0 && device.journal.announced() == [id])

    // Signed anew, with the same content.
    #expect(await device.refresh().isCurrent)
    #expect(try device.announcement(of: id) == first)
    try device.journal.clear([(id, announcement: first)])
    #expect(try device.journal.announced().isEmpty)

    try await test.store.refund(id)
    #expect(await device.refresh().isCurrent)
    #expect(await updates.next()?.stored == id)
    let second = try #require(try device.announcement(of: id))
    #expect(second > first)
    // A late answer to the first one does not clear the second.
    try device.journal.clear([(id, announcement: first)])
    #expect(try device.journal.announced() == [id])
  }

  @Test("the history of an account is no news")
  func history() async throws {
    let test = try await TestStore.lasting()
    let id = try await test.boughtLongAgo(TestStore.sepia)
    let device = try test.device()
    let updates = device.registerTransactionUpdates()
    try await device.takeHistoryIn()
    #expect(try device.journal.history(withConsumables: false) == [id])
    #expect(try device.journal.announced().isEmpty && updates.isEmpty)
  }

  @Test("what is unfinished is announced on a new installation, also if its history has arrived before")
  func unfinishedOnNewInstallation() async throws {
    let test = try await TestStore.lasting()
    // Bought in the App Store, before the app was installed.
    let id = try await test.store.purchase(
      ProductID(TestStore.sepia), of: TestStore.bundleID, for: "customer", in: .sandbox
    ).record.transactionID
    let device = try test.device()
    try await device.signIn(SignInCredentials(account: "customer"))
    try device.journal.setUsesStoreKit2()
    #expect(
      try await device.engine.takeInChanges(pageSize: nil, pageLimit: 1_000, withStatuses: true))
    #expect(try device.journal.announced().isEmpty)
    let updates = device.registerTransactionUpdates()
    #expect(await device.refresh().isCurrent)
    #expect(await updates.next()?.stored == id)
    #expect(try device.journal.announced() == [id] && device.journal.unfinished() == [id])
  }

  @Test("a finish clears the announcement of the content that the app has received, and no later one")
  func finishClears() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    try await device.takeHistoryIn()
    device.updates.use()
    let id = try await test.boughtLongAgo(TestStore.sepia)
    #expect(await device.refresh().isCurrent)
    let bought = try #require(try device.journal.transaction(id)).signedTransaction
    try await test.store.refund(id)
    #expect(await device.refresh().isCurrent)
    await device.engine.finish(signed: id, receivedAs: bought)
    #expect(try device.journal.announced() == [id])
    let refunded = try #require(try device.journal.transaction(id)).signedTransaction
    await device.engine.finish(signed: id, receivedAs: refunded)
    #expect(try device.journal.announced().isEmpty)
  }

  @Test("nothing is announced on an installation that does not use StoreKit 2")
  func unused() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    try await device.signIn(SignInCredentials(account: "customer"))
    try await device.takeInTransactions()
    let id = try await test.boughtLongAgo(TestStore.sepia)
    try await device.takeInTransactions()
    #expect(try device.journal.history(withConsumables: false) == [id])
    #expect(try device.journal.announced().isEmpty)
    #expect(try !device.journal.usesStoreKit2())
  }

  @Test("a purchase whose call waits is not announced; one of StoreKit 1 is")
  func callers() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let updates = device.registerTransactionUpdates()
    let bought = try #require(try await device.buy(TestStore.sepia).purchased)
    #expect(try device.announcement(of: bought) == nil)
    #expect(await device.refresh().isCurrent)
    #expect(try device.announcement(of: bought) == nil)

    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.greyscale))
    let update = try #require(await updates.next()?.stored)
    #expect(update != bought)
    #expect(try device.journal.transaction(update)?.productID.rawValue == TestStore.greyscale)
    #expect(try device.journal.announced() == [update])
  }

  @Test(
    "a page that arrives before the answer to a payment holds its transaction; the answer clears or announces it",
    arguments: [true, false])
  func held(isAwaited: Bool) async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    let updates = device.registerTransactionUpdates()
    try await device.takeHistoryIn()
    let answer = connection.holdAnswer(to: .confirm)
    let call = Task { try await device.buy(TestStore.sepia) }
    await answer.isGiven()
    #expect(await device.refresh().isCurrent)
    let id = try #require(try device.journal.history(withConsumables: false).first)
    #expect(try #require(try device.announcement(of: id)) < 0)
    #expect(try device.journal.announced().isEmpty && updates.isEmpty)
    // The payment will have an entry for it.
    await device.engine.finish(signed: id)
    #expect(try device.journal.entries().readable.count == 1)

    if !isAwaited { call.cancel() }
    if !isAwaited { await #expect(throws: CancellationError.self) { try await call.value } }
    answer.release()
    if isAwaited {
      #expect(try await call.value.purchased == id)
      #expect(try device.announcement(of: id) == nil)
      #expect(try device.journal.announced().isEmpty && updates.isEmpty)
    } else {
      #expect(await updates.next()?.stored == id)
      #expect(try device.journal.announced() == [id])
    }
    #expect(try device.journal.unfinished() == [id])
  }

  @Test("the end of a refused payment announces what was held for its product")
  func released() throws {
    let journal = try PaymentJournal.inMemory()
    try journal.setUsesStoreKit2()
    let entry = try journal.add(
      PaymentRequest(paymentID: "1", productID: "tea"), at: StoreDate(millisecondsSince1970: 0), interface: 2)
    #expect(try journal.apply(.confirmed(.sample(of: entry.payment)), to: entry.sequence) != nil)
    let id = TransactionID(7)
    try journal.database.write { database in
      let transaction = DeviceTransaction(
        transactionID: id, originalTransactionID: id, productID: "tea", type: .nonConsumable,
        purchaseDate: StoreDate(millisecondsSince1970: 0), revocationDate: nil,
        signedDate: StoreDate(millisecondsSince1970: 0), signedTransaction: "x.y.z")
      try journal.keep([transaction], of: "customer", in: database)
      try journal.announceChanges([transaction], before: [:], in: database)
    }
    #expect(try journal.announced().isEmpty)
    #expect(try #require(try journal.transaction(id)?.announcement) < 0)
    #expect(try journal.apply(.failed(.cancelled), to: entry.sequence) != nil)
    #expect(try journal.announced() == [id])
    #expect(try journal.entries().readable.isEmpty)
  }

  @Test("a consumable of another device is not announced, unfinished or finished; its refund is")
  func consumable() async throws {
    let test = try await TestStore.lasting()
    let (device, other) = (try test.device(), try test.device())
    try await device.takeHistoryIn()
    let updates = device.registerTransactionUpdates()
    let id = try #require(try await other.buy(TestStore.five).purchased)
    #expect(await device.refresh().isCurrent)
    #expect(try device.journal.transaction(id)?.finishState == .undelivered)
    #expect(try device.journal.history(withConsumables: true).isEmpty)
    await device.engine.finish(signed: id)
    #expect(try device.journal.entries().readable.isEmpty)

    try await test.store.finish(id, for: other.installationID)
    #expect(await device.refresh().isCurrent)
    #expect(try device.journal.history(withConsumables: true) == [id])
    #expect(try device.journal.history(withConsumables: false).isEmpty)
    #expect(try device.journal.announced().isEmpty && updates.isEmpty)

    try await test.store.refund(id)
    #expect(await device.refresh().isCurrent)
    #expect(await updates.next()?.stored == id)
    #expect(try device.journal.history(withConsumables: false) == [id])
  }

  @Test("killed between the commit of a page and the app: the next launch begins with the announced transactions")
  func relaunch() async throws {
    let (test, folder) = (try await TestStore.lasting(), TemporaryFolder())
    let id: TransactionID
    let unfinished: TransactionID
    do {
      let device = try test.device(storage: .directory(folder.url))
      try await device.takeHistoryIn()
      unfinished = try #require(try await device.buy(TestStore.greyscale).purchased)
      id = try await test.boughtLongAgo(TestStore.sepia)
      #expect(await device.refresh().isCurrent)
      try await device.close()
    }
    let device = try test.device(storage: .directory(folder.url))
    let updates = device.registerTransactionUpdates()
    let first = [await updates.next()?.stored, await updates.next()?.stored]
    #expect(Set(first.compactMap(\.self)) == [id, unfinished])
    // Only the first iterator of a launch has those that are unfinished and not announced.
    let second = device.registerTransactionUpdates()
    #expect(await second.next()?.stored == id)
    #expect(second.isEmpty)
    let announcement = try #require(try device.announcement(of: id))
    try device.journal.clear([(id, announcement: announcement)])
    #expect(device.registerTransactionUpdates().isEmpty)
    try await device.close()
    #expect(await updates.next() == nil)
  }

  @Test("a transaction that was not verified is not stored; an iterator receives it once in a launch")
  func unverified() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    try await device.takeHistoryIn()
    let updates = device.registerTransactionUpdates()
    connection.rewriteChanges { page in
      TransactionChanges(
        account: page.account,
        transactions: page.transactions.map { changed in
          let parts = changed.signedTransaction.split(separator: ".")
          return TransactionChanges.Transaction(
            signedTransaction: "\(parts[0]).\(parts[1]).\(String(repeating: "A", count: 86))",
            revision: changed.revision, isFinished: changed.isFinished)
        }, revision: page.revision, hasMore: page.hasMore, statuses: page.statuses)
    }
    // Once the iterator waits for changes, the device asks for the purchase by itself.
    let id = try await test.boughtLongAgo(TestStore.sepia)
    #expect(await !device.refresh().isCurrent)
    guard case .unverified(_, let failure)? = await updates.next() else { throw UnexpectedUpdate() }
    #expect(failure.fault == .signature)
    #expect(await !device.refresh().isCurrent)
    #expect(try updates.isEmpty && device.journal.transaction(id) == nil)
    // The right copy arrives later.
    connection.rewriteChanges(nil)
    #expect(await device.refresh().isCurrent)
    #expect(await updates.next()?.stored == id)
  }

  private struct UnexpectedUpdate: Error {}
}
