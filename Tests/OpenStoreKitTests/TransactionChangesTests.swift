import AppStoreEmulator
import Foundation
import SharedFixtures
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

/// Documentation/device-transactions.md, "Changes of all transactions".
@Suite("Changes of the customer's transactions", .timeLimit(.minutes(30)))
struct TransactionChangesTests {
  private static let tablet: InstallationID = "tablet"

  /// A store with finished purchases of another device, and a device on which a customer is signed in.
  private struct World {
    let test: TestStore
    let connection: ScriptedConnection
    let problems = Problems()

    init() async throws {
      test = try await TestStore.lasting(more: 5)
      connection = ScriptedConnection(test.store)
      for name in ["ada", "bob"] {
        try await test.store.addCustomer(Customer(environment: .sandbox, name: AccountName(name)))
      }
      _ = try await test.store.register(
        InstallationRegistration(
          installationID: TransactionChangesTests.tablet, bundleID: TestStore.bundleID, environment: .sandbox,
          deviceID: UUID(), applicationVersion: "1"))
    }

    func device(
      of account: AccountName = "customer", storage: StoreKitDevice.Storage = .inMemory
    ) async throws -> StoreKitDevice {
      let device = try test.device(through: connection, storage: storage, problems: problems)
      try await device.signIn(SignInCredentials(account: account))
      return device
    }

    /// Buys products on another device, and finishes them there.
    @discardableResult
    func bought(_ products: [String], for account: AccountName = "customer") async throws -> [TransactionID] {
      var ids: [TransactionID] = []
      for product in products { ids.append(try await test.boughtLongAgo(product, for: account)) }
      return ids
    }

    /// Expects the device to have exactly the transactions of a customer, as the store has them now.
    func expectSame(_ device: StoreKitDevice, as account: AccountName = "customer") async throws {
      let stored = try await test.store.transactions(RecordFilter(account: account)).map {
        let record = $0.record
        return
          "\(record.transactionID) \(record.revision) \(record.revocationDate != nil) \($0.finishedDate != nil)"
      }
      let kept = try device.journal.transactions(limit: 10_000).map {
        "\($0.transactionID) \($0.revision ?? -1) \($0.revocationDate != nil) \($0.finishState == .finished)"
      }
      #expect(Set(kept) == Set(stored) && kept.count == stored.count)
      #expect(try device.journal.transactions(limit: 10_000).allSatisfy { $0.account == account })
    }
  }

  private static let things = (0..<5).map { "\(TestStore.bundleID).thing\($0)" }

  @Test("all of a customer's transactions arrive, page by page, while others change: none is missed, none comes twice")
  func pages() async throws {
    let world = try await World()
    let ids = try await world.bought(Self.things + [TestStore.five])
    let device = try await world.device()
    let received = LockedValue<[String]>([])
    world.connection.rewriteChanges { page in
      #expect(page.transactions.count <= 2)
      received.withLock { $0 += page.transactions.map { "\($0.revision) \($0.isFinished)" } }
      return page
    }
    world.connection.beforeNext(.transactions, skipping: 1) {
      // One that has come, one that has not, and a new one.
      for id in [ids[0], ids[4]] { try await world.test.store.refund(id) }
      try await world.test.boughtLongAgo(TestStore.sepia)
    }
    try await device.engine.takeInTransactions(pageSize: 2)
    try await world.expectSame(device)
    #expect(Set(received.value).count == received.value.count && received.value.count == 8)
    #expect(device.paymentQueue.transactions.isEmpty && world.problems.all.isEmpty)
    // Nothing has changed since.
    try await device.takeInTransactions()
    #expect(received.value.count == 8)
  }

  @Test("G6 a refund of a finished transaction arrives, and no entry in the queue")
  func refunded() async throws {
    let world = try await World()
    let ids = try await world.bought([TestStore.sepia, TestStore.five])
    let device = try await world.device()
    try await device.takeInTransactions()
    #expect(try device.journal.transactions(limit: 9).map(\.revocationDate) == [nil, nil])
    for id in ids { try await world.test.store.refund(id) }
    try await device.takeInTransactions()
    #expect(try device.journal.transactions(limit: 9).allSatisfy { $0.revocationDate != nil })
    try await world.expectSame(device)
    #expect(device.paymentQueue.transactions.isEmpty)
  }

  @Test("an upgrade arrives: the period that it ended says so, and the new one is there")
  func upgraded() async throws {
    let world = try await World()
    let basic = try await world.bought([TestStore.basic])[0]
    let device = try await world.device()
    try await device.takeInTransactions()
    func isUpgraded(_ id: TransactionID) throws -> Bool? {
      try device.journal.transaction(id).flatMap {
        try UnverifiedJWS($0.signedTransaction).transaction().isUpgraded
      }
    }
    #expect(try isUpgraded(basic) != true)
    let monthly = try await world.bought([TestStore.monthly])[0]
    try await device.takeInTransactions()
    #expect(try isUpgraded(basic) == true && isUpgraded(monthly) != true)
    #expect(try device.journal.transactions(of: basic, limit: 9).map(\.transactionID).contains(monthly))
    try await world.expectSame(device)
  }

  @Test("D1 a family share arrives, and its end")
  func shared() async throws {
    let world = try await World()
    for name in ["ada", "bob"] {
      try await world.test.store.changeCustomer(AccountName(name), .sandbox) { $0.family = "bees" }
    }
    let bought = try await world.bought([TestStore.sepia], for: "ada")[0]
    let device = try await world.device(of: "bob")
    try await device.takeInTransactions()
    try await world.expectSame(device, as: "bob")
    #expect(try device.journal.transactions(limit: 9).count == 1)
    try await world.test.store.refund(bought)
    try await device.takeInTransactions()
    #expect(try device.journal.transactions(limit: 9).allSatisfy { $0.revocationDate != nil })
  }

  @Test("B4 what another device has bought stays out of the queue; its finish there arrives, and changes no revision")
  func finishedElsewhere() async throws {
    let world = try await World()
    _ = try await world.test.store.signIn(SignInCredentials(account: "customer"), on: Self.tablet)
    let id = try await world.test.store.purchase(
      ProductID(TestStore.five), of: TestStore.bundleID, for: "customer", in: .sandbox, installationID: Self.tablet
    ).record.transactionID
    let device = try await world.device()
    try await device.takeInTransactions()
    let before = try #require(try device.journal.transaction(id))
    #expect(before.finishState == .undelivered && device.paymentQueue.transactions.isEmpty)
    try await world.test.store.finish(id, for: Self.tablet)
    try await device.takeInTransactions()
    let after = try #require(try device.journal.transaction(id))
    #expect(after.finishState == .finished && after.revision == before.revision)
    try await world.expectSame(device)
  }

  @Test("B4 B9 a page that was requested before a finish does not make the transaction unfinished again")
  func stalePage() async throws {
    let world = try await World()
    let device = try await world.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let bought = try await observer.next(.purchased)
    let id = try #require(bought.transactionIdentifier.flatMap(TransactionID.init(rawValue:)))
    let page = world.connection.holdAnswer(to: .transactions)
    async let takenIn: Void = device.takeInTransactions()
    await page.isGiven()
    device.paymentQueue.finishTransaction(bought)
    await world.connection.nextFinish()
    page.release()
    try await takenIn
    while try device.journal.transaction(id)?.finishState == .finishing { try await device.takeInTransactions() }
    #expect(try device.journal.transaction(id)?.finishState == .finished)
  }

  @Test("after a reset or a restored snapshot, the device reads all changes again", arguments: [false, true])
  func epoch(isRestored: Bool) async throws {
    let world = try await World()
    try await world.bought([TestStore.sepia, TestStore.five])
    let device = try await world.device()
    try await device.takeInTransactions()
    let before = try #require(try device.journal.transactionPlace().revision)
    if isRestored {
      let snapshot = try await world.test.store.snapshot()
      try await world.bought([TestStore.greyscale])
      try await world.test.store.restore(snapshot)
    } else {
      try await world.test.store.reset()
    }
    try await device.takeInTransactions()
    if !isRestored { try await device.signIn(SignInCredentials(account: "customer")) }
    if !isRestored { try await world.bought([TestStore.five]) }
    try await device.takeInTransactions()
    try await world.expectSame(device)
    let after = try #require(try device.journal.transactionPlace().revision)
    #expect(after.epoch != before.epoch)
    #expect(world.problems.all.isEmpty)
  }

  @Test(
    "another account's changes are read from the beginning, also if the device did not receive the answer to its sign-in",
    arguments: [false, true])
  func account(isAnswerLost: Bool) async throws {
    let world = try await World()
    try await world.bought([TestStore.sepia, TestStore.five], for: "bob")
    try await world.bought([TestStore.greyscale], for: "ada")
    let device = try await world.device(of: "ada")
    try await device.takeInTransactions()
    try await world.expectSame(device, as: "ada")
    if isAnswerLost {
      world.connection.script(.signIn, .answerLost)
      await #expect(throws: StoreConnectionFailure.self) {
        try await device.signIn(SignInCredentials(account: "bob"))
      }
      #expect(try device.journal.transactionPlace().account == "ada")
    } else {
      try await device.signIn(SignInCredentials(account: "bob"))
      #expect(try device.journal.transactionPlace() == TransactionPlace(account: "bob", revision: nil))
      #expect(try device.journal.transactions(limit: 9).isEmpty)
    }
    try await device.takeInTransactions()
    try await world.expectSame(device, as: "bob")
    try await device.signOut()
    try await device.takeInTransactions()
    try await world.expectSame(device, as: "bob")
  }

  @Test("a page of the account before, which arrives after another one has signed in, is not stored")
  func pageOfAccountBefore() async throws {
    let world = try await World()
    try await world.bought([TestStore.sepia], for: "ada")
    try await world.bought([TestStore.five], for: "bob")
    let device = try await world.device(of: "ada")
    try await device.takeInTransactions()
    try await world.bought([TestStore.greyscale], for: "ada")
    let page = world.connection.holdAnswer(to: .transactions)
    async let takenIn: Void = device.takeInTransactions()
    await page.isGiven()
    try await device.signIn(SignInCredentials(account: "bob"))
    page.release()
    try await takenIn
    try await world.expectSame(device, as: "bob")
  }

  @Test("B4 killed after any page, before or after an answer: the next launch continues, and nothing is lost")
  func killed() async throws {
    let world = try await World()
    try await world.bought(Self.things)
    let pageCount = 3
    for pages in 0..<pageCount {
      for fate in [ScriptedConnection.Fate.unreachable, .answerLost] {
        let folder = TemporaryFolder()
        var device = try await world.device(storage: .directory(folder.url))
        for _ in 0..<pages { world.connection.script(.transactions, .pass) }
        world.connection.script(.transactions, fate)
        await #expect(throws: StoreConnectionFailure.self) {
          try await device.engine.takeInTransactions(pageSize: 2)
        }
        #expect(try device.journal.transactions(limit: 9).count == 2 * pages)
        try await device.close()
        device = try world.test.device(through: world.connection, storage: .directory(folder.url))
        let sent = world.connection.sent.count { $0 == .transactions }
        try await device.engine.takeInTransactions(pageSize: 2)
        try await world.expectSame(device)
        #expect(world.connection.sent.count { $0 == .transactions } == sent + pageCount - pages)
        try await device.close()
      }
    }
  }

  @Test("a transaction with a wrong signature is refused, the others are stored, and the page is requested again")
  func forged() async throws {
    let world = try await World()
    let ids = try await world.bought(Self.things)
    let device = try await world.device()
    world.connection.rewriteChanges { page in
      TransactionChanges(
        account: page.account,
        transactions: page.transactions.map { changed in
          guard changed.signedTransaction.contains(Self.payload(of: ids[1], in: page)) else { return changed }
          // The signature of another transaction.
          let other = page.transactions.first { $0 != changed }?.signedTransaction ?? "a.b.c"
          let signature = other.split(separator: ".")[2]
          let parts = changed.signedTransaction.split(separator: ".")
          return TransactionChanges.Transaction(
            signedTransaction: "\(parts[0]).\(parts[1]).\(signature)", revision: changed.revision, isFinished: true)
        }, revision: page.revision, hasMore: page.hasMore)
    }
    await #expect(throws: StoreKitDeviceError.self) { try await device.engine.takeInTransactions(pageSize: 2) }
    #expect(world.problems.all.count == 1)
    #expect(try device.journal.transactions(limit: 9).map(\.transactionID) == [ids[0]] + ids[2...])
    #expect(try device.journal.transactionPlace().revision == nil)
    world.connection.rewriteChanges(nil)
    try await device.takeInTransactions()
    try await world.expectSame(device)
  }

  @Test("after the maximum number of pages, the next call continues, also behind a transaction that is not verified")
  func pageLimit() async throws {
    let world = try await World()
    let ids = try await world.bought(Self.things)
    let device = try await world.device()
    world.connection.rewriteChanges { page in
      TransactionChanges(
        account: page.account,
        transactions: page.transactions.map { changed in
          guard changed.signedTransaction.contains(Self.payload(of: ids[0], in: page)) else { return changed }
          return TransactionChanges.Transaction(
            signedTransaction: "a.b.c", revision: changed.revision, isFinished: true)
        }, revision: page.revision, hasMore: page.hasMore)
    }
    var counts: [Int] = []
    for _ in 0..<4 {
      try? await device.engine.takeInTransactions(pageSize: 1, pageLimit: 2)
      counts.append(try device.journal.transactions(limit: 9).count)
    }
    // The last call begins before the transaction again.
    #expect(counts == [1, 3, 4, 4])
    #expect(try device.journal.transactionPlace().revision == nil)
  }

  /// The payload of a transaction in a page; a text that no page has if it is not there.
  private static func payload(of id: TransactionID, in page: TransactionChanges) -> String {
    page.transactions.map(\.signedTransaction).first {
      (try? UnverifiedJWS($0).transaction().transactionID) == id
    }.map { String($0.split(separator: ".")[1]) } ?? "none"
  }

  @Test(
    "pages that repeat their revision, or are empty and not the last, are refused; what came before stays",
    arguments: ["repeated", "empty", "refused"])
  func endless(_ kind: String) async throws {
    let world = try await World()
    try await world.bought(Self.things)
    let device = try await world.device()
    let first = LockedValue<TransactionChanges?>(nil)
    world.connection.rewriteChanges { page in
      let before = first.withLock { first in
        defer { first = first ?? page }
        return first
      }
      guard let before else { return page }
      return kind == "repeated"
        ? before
        : TransactionChanges(account: page.account, transactions: [], revision: page.revision, hasMore: true)
    }
    if kind == "refused" {
      world.connection.beforeNext(.transactions, skipping: 1) { throw StoreRefusal(.epochEnded, "again") }
    }
    await #expect(throws: StoreKitDeviceError.self) { try await device.engine.takeInTransactions(pageSize: 2) }
    #expect(try device.journal.transactions(limit: 9).count == 2)
    #expect(world.connection.sent.count { $0 == .transactions } == 2)
    world.connection.rewriteChanges(nil)
    try await device.takeInTransactions()
    try await world.expectSame(device)
  }

  @Test("B4 an app that uses only StoreKit 1 does not ask for changes of transactions")
  func onlyStoreKit1() async throws {
    let world = try await World()
    try await world.bought([TestStore.sepia])
    let device = try await world.device()
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.purchased)
    await world.connection.nextFinish()
    #expect(!world.connection.sent.contains(.transactions))
    #expect(try device.journal.transactionPlace().revision == nil)
  }

  /// With `TAKE_IN_COUNT=10000` it prints the figures of device-transactions.md.
  @Test("a subscription's renewals are taken in in pages of 100, and take less than 2 KB each on the disk")
  func size() async throws {
    let count = ProcessInfo.processInfo.environment["TAKE_IN_COUNT"].flatMap(Int.init) ?? 210
    let world = try await World()
    try await world.test.store.setRenewalRules(RenewalRules(rate: .oneSecondIsOneDay), of: TestStore.bundleID)
    let first = try await world.bought([TestStore.monthly])[0]
    // Otherwise the renewals would be delivered to this device.
    _ = try await world.test.store.signIn(SignInCredentials(account: "customer"), on: "lost device of customer")
    try await world.test.store.changeClock(.advance(milliseconds: Int64(count) * 30_500))
    // Returns when the renewals have been settled, which takes longer than a device waits.
    _ = try await world.test.store.charges(RecordFilter(limit: 1))
    let folder = TemporaryFolder()
    let device = try await world.device(storage: .directory(folder.url))
    // They are the tablet's, so they make no queue entries here.
    let start = ContinuousClock.now
    try await device.takeInTransactions()
    let duration = ContinuousClock.now - start
    let periods = try device.journal.transactions(of: first, limit: 2 * count)
    #expect(periods.count >= count * 9 / 10)
    try await device.close()
    let file = folder.url.appending(path: "payment-queue.sqlite").path
    let bytes = try #require(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
    print("\(periods.count) renewals were taken in within \(duration): \(bytes) bytes of the payment journal")
    #expect(bytes < 200_000 + 2_000 * periods.count)
  }
}
