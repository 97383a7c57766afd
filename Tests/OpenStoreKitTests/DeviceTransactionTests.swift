import AppStoreEmulator
import Foundation
import GRDB
import SharedFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

/// Documentation/device-transactions.md.
@Suite("The device's transactions", .timeLimit(.minutes(30)))
struct DeviceTransactionTests {
  private func kept(on device: StoreKitDevice) throws -> [DeviceTransaction] {
    try device.journal.transactions(limit: 10)
  }

  @Test("B4 a transaction stays after the app has finished it and the store knows that, also after a relaunch")
  func finished() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(test.store)
    var device = try test.device(through: connection, storage: .directory(folder.url))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let bought = try await observer.next(.purchased)
    let unfinished = try #require(try kept(on: device).first)
    #expect(unfinished.transactionID.rawValue == bought.transactionIdentifier)
    #expect(unfinished.finishState == .unfinished && unfinished.account == "customer")
    #expect(unfinished.productID.rawValue == TestStore.five && unfinished.type == .consumable)
    connection.cutOff(.finish)
    device.paymentQueue.finishTransaction(bought)
    #expect(try await observer.next().event == .removed(TestStore.five))
    #expect(try device.journal.transaction(unfinished.transactionID)?.finishState == .finishing)
    try await device.close()

    device = try test.device(storage: .directory(folder.url))
    #expect(device.paymentQueue.transactions.isEmpty)
    let later = RecordingObserver()
    device.paymentQueue.add(later)
    // When this purchase has arrived, the finish of the first one was sent and acknowledged.
    device.paymentQueue.add(.of(TestStore.ten))
    _ = try await later.next(.purchased)
    while try device.journal.transaction(unfinished.transactionID)?.finishState == .finishing {
      device.applicationWillEnterForeground()
      _ = try await later.next()
    }
    var expected = unfinished
    expected.finishState = .finished
    #expect(try device.journal.transaction(unfinished.transactionID) == expected)
    #expect(try kept(on: device).map(\.productID.rawValue) == [TestStore.five, TestStore.ten])
    try await device.close()
  }

  @Test("B4 transactions are taken in without an observer; one that is attached later is notified of them")
  func withoutObserver() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    try await device.signIn(SignInCredentials(account: "customer"))
    let bought = try await test.store.purchase(
      ProductID(TestStore.five), of: TestStore.bundleID, for: "customer", in: .sandbox)
    try await device.takeInTransactions()
    #expect(connection.sent == [.register, .signIn, .unfinished, .transactions])
    let taken = try #require(try kept(on: device).first)
    #expect(taken.transactionID == bought.record.transactionID && taken.finishState == .unfinished)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    let shown = try await observer.next(.purchased)
    #expect(shown.transactionIdentifier == taken.transactionID.rawValue)
  }

  @Test("G6 a refunded transaction is kept with its revocation, although the queue cannot show it")
  func refunded() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let problems = Problems()
    let device = try test.device(through: connection, problems: problems)
    try await device.signIn(SignInCredentials(account: "customer"))
    let id = try await test.boughtLongAgo(TestStore.sepia)
    // A proof for a server does not prove the device, so the copies are those that the store signs for this device.
    func signed() async throws -> String {
      let page = try await test.store.transactions(after: nil, for: device.installationID)
      return try #require(page.transactions.first?.signedTransaction)
    }
    let before = try await signed()
    try await test.store.refund(id)
    let after = try await signed()
    // The store would sign it again in a page of changes.
    connection.cutOff(.transactions)
    // The later signature counts, whichever arrives last.
    for signed in [before, after, before] {
      connection.rewriteBatches {
        DeliveryBatch(
          deliveries: [TransactionDelivery(paymentID: nil, signedTransaction: signed, applicationUsername: nil)],
          receipt: $0.receipt)
      }
      try? await device.takeInTransactions()
    }
    let kept = try #require(try device.journal.transaction(id))
    #expect(kept.revocationDate != nil && kept.signedTransaction == after)
    #expect(!problems.all.isEmpty)
  }

  @Test(
    "another account's finished transactions leave when it signs in; unfinished ones stay; a sign-out changes nothing")
  func otherAccount() async throws {
    let test = try await TestStore.lasting()
    for name in ["ada", "bob"] {
      try await test.store.addCustomer(Customer(environment: .sandbox, name: AccountName(name)))
    }
    let device = try test.device(customer: AutomaticCustomer(credentials: SignInCredentials(account: "ada")))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    let sepia = try await observer.next(.purchased)
    device.paymentQueue.finishTransaction(sepia)
    #expect(try await observer.next().event == .removed(TestStore.sepia))
    device.paymentQueue.add(.of(TestStore.five))
    let five = try await observer.next(.purchased)
    // The first finish was acknowledged when the second purchase had been made and listed.
    while try kept(on: device).first?.finishState == .finishing {
      device.applicationWillEnterForeground()
      _ = try await observer.next()
    }
    try await device.signOut()
    #expect(try kept(on: device).count == 2)
    try await device.signIn(SignInCredentials(account: "bob"))
    #expect(try kept(on: device).map(\.productID.rawValue) == [TestStore.five])
    #expect(try kept(on: device).first?.account == "ada")
    device.paymentQueue.finishTransaction(five)
    #expect(try await observer.next().event == .removed(TestStore.five))
    while try !kept(on: device).isEmpty { try await device.takeInTransactions() }
  }

  @Test("B4 what is delivered of the customer before stays that customer's, and leaves when it is finished")
  func ofCustomerBefore() async throws {
    let test = try await TestStore.lasting()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    let device = try test.device()
    try await device.signIn(SignInCredentials(account: "customer"))
    let bought = try await test.store.purchase(
      ProductID(TestStore.five), of: TestStore.bundleID, for: "customer", in: .sandbox,
      installationID: device.journal.installationID)
    try await device.signIn(SignInCredentials(account: "bob"))
    try await device.takeInTransactions()
    let taken = try #require(try device.journal.transaction(bought.record.transactionID))
    try #require(taken.account == "customer" && taken.finishState == .unfinished)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.finishTransaction(try await observer.next(.purchased))
    #expect(try await observer.next().event == .removed(TestStore.five))
    while try !kept(on: device).isEmpty { try await device.takeInTransactions() }
  }

  @Test("B4 the owner of a list that arrives after another customer has signed in is unknown")
  func listOfCustomerBefore() async throws {
    let test = try await TestStore.lasting()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "bob"))
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    try await device.signIn(SignInCredentials(account: "customer"))
    let id = try await test.store.purchase(
      ProductID(TestStore.five), of: TestStore.bundleID, for: "customer", in: .sandbox
    ).record.transactionID
    try await device.takeInTransactions()
    #expect(try device.journal.transaction(id)?.account == "customer")
    let later = try await test.store.purchase(
      ProductID(TestStore.five), of: TestStore.bundleID, for: "customer", in: .sandbox
    ).record.transactionID
    let list = connection.holdAnswer(to: .unfinished)
    async let taken: Void = device.takeInTransactions()
    await list.isGiven()
    try await device.signIn(SignInCredentials(account: "bob"))
    list.release()
    try await taken
    let kept = try #require(try device.journal.transaction(later))
    #expect(kept.account == nil && kept.finishState == .unfinished)
    #expect(try device.journal.transaction(id)?.account == "customer")
  }

  @Test(
    "B4 a page of unfinished transactions that comes again is an error, as in a restore, and is not asked for again")
  func repeatedPage() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    try await device.signIn(SignInCredentials(account: "customer"))
    connection.rewriteBatches {
      DeliveryBatch(
        deliveries: $0.deliveries, receipt: $0.receipt, next: UnfinishedCursor(after: 5, through: 9))
    }
    await #expect(throws: StoreKitDeviceError.self) { try await device.takeInTransactions() }
    #expect(connection.sent.count { $0 == .unfinished } == 2)
  }

  @Test("after a reset of the store, the finished transactions of the epoch before leave, and unfinished ones stay")
  func epoch() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    try await device.signIn(SignInCredentials(account: "customer"))
    let journal = device.journal
    try await journal.database.write {
      try journal.keep([.sample(1), .sample(2)], of: nil, in: $0)
      try $0.execute(
        sql: """
          INSERT INTO queueEntry (transactionID, signedTransactionID, stage, payment, state)
          VALUES ('1', '1', 'finishing', '{}', '{}')
          """)
    }
    _ = try await test.store.reset()
    try await device.signIn(SignInCredentials(account: "customer"))
    #expect(try kept(on: device).map(\.transactionID) == [TransactionID(1)])
  }

  @Test("a new epoch, the account that is signed in there, and the settings are one commit, which happens or does not")
  func registration() throws {
    let journal = try PaymentJournal.inMemory()
    let cursor = ChangeCursor(rawValue: 1)
    func register(_ epoch: StoreEpoch, _ account: AccountName) throws -> Bool {
      try journal.adopt(
        epoch: epoch, rootFingerprints: ["A", "B"], changeCursor: cursor, account: account,
        settings: InstallationSettings(isRestricted: epoch == "2", isOffline: nil))
    }
    #expect(try !register("1", "ada"))
    try journal.database.write { try journal.keep([.sample(1)], of: nil, in: $0) }
    #expect(try journal.transactionPlace().account == "ada")
    // As if the process died before the last change.
    try journal.database.write {
      try $0.execute(
        sql: """
          CREATE TRIGGER death BEFORE UPDATE ON installation WHEN NEW.account IS NOT OLD.account
          BEGIN SELECT RAISE(ABORT, 'killed'); END
          """)
    }
    #expect(throws: (any Error).self) { _ = try register("2", "bob") }
    let installation = try journal.database.read { try InstallationRow.fetchOne($0) }
    #expect(installation?.epoch == "1" && installation?.account == "ada" && installation?.isRestricted == false)
    #expect(try journal.transactions(limit: 9).count == 1)
    try journal.database.write { try $0.execute(sql: "DROP TRIGGER death") }
    #expect(try register("2", "bob"))
    #expect(try journal.transactionPlace() == TransactionPlace(account: "bob", revision: nil))
    #expect(try journal.settings().isRestricted == true && journal.transactions(limit: 9).isEmpty)
  }

  @Test("of finished consumables, the newest thousand are kept, of refunded ones as many, and everything else")
  func consumables() throws {
    let journal = try PaymentJournal.inMemory()
    try journal.database.write { database in
      try journal.keep([.sample(1, isRefunded: true)] + (2...1_003).map { .sample($0) }, of: nil, in: database)
      try journal.keep([.sample(5_000, type: .nonConsumable)], of: nil, in: database)
      try DeviceTransactionTable.removeAfterFinish(of: TransactionID(1_003), in: database)
    }
    let ids = try journal.transactions(limit: 2_000).map(\.transactionID)
    #expect(ids == ([5_000, 1] + (4...1_003)).map { TransactionID(UInt64($0)) })
  }

  @Test("pages follow each other, and the periods of a subscription are found by their original transaction")
  func pages() throws {
    let journal = try PaymentJournal.inMemory()
    try journal.database.write { database in
      try journal.keep(
        (1...7).map { .sample($0, of: $0 % 2 == 0 ? 2 : 1, type: .autoRenewableSubscription) }, of: nil, in: database)
    }
    var (found, page): ([DeviceTransaction], [DeviceTransaction]) = ([], [])
    repeat {
      page = try journal.transactions(after: found.last, limit: 3)
      found += page
    } while page.count == 3
    #expect(found.map(\.transactionID.rawValue) == ["1", "2", "3", "4", "5", "6", "7"])
    #expect(try journal.transactions(of: TransactionID(2), limit: 9).map(\.transactionID.rawValue) == ["2", "4", "6"])
  }

  @Test("ten thousand periods of a subscription take less than 2 KB each on the disk")
  func size() throws {
    let folder = TemporaryFolder()
    let file = folder.url.appending(path: "payment-queue.sqlite")
    let journal = try PaymentJournal(
      at: file, bundleID: TestStore.bundleID, environment: .sandbox, deviceID: nil, makeUUID: UUID.init)
    // The sizes of the parts are those of a signed renewal of the emulator.
    try journal.database.write { database in
      try journal.keep(
        (1...10_000).map { .sample($0, of: 1, type: .autoRenewableSubscription, payloadSize: 1_000) }, of: nil,
        in: database)
    }
    try journal.close()
    let bytes = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int)
    print("10,000 periods of a subscription: \(bytes) bytes of the payment journal")
    #expect(bytes < 20_000_000)
  }

  @Test("B4 a journal of the version before keeps every row, and its signed transactions are among the device's")
  func migration() async throws {
    let before = try VersionBefore("journal")
    defer { before.remove() }
    let file = before.folder.appending(path: "payment-queue.sqlite")
    let columns = "sequence, paymentID, transactionID, stage, payment, state, addedDate"
    func rows() throws -> [[String]] {
      let queue = try DatabaseQueue(path: file.path)
      defer { try? queue.close() }
      return try queue.read {
        try Row.fetchAll($0, sql: "SELECT \(columns) FROM queueEntry ORDER BY sequence")
          .map { $0.databaseValues.map(\.description) }
      }
    }
    let rowsBefore = try rows()
    let device = UUID(uuidString: try VersionBefore.metadata("journal").text("device"))
    let journal = try PaymentJournal(
      at: file, bundleID: "com.xamarin.storekit.testing", environment: .sandbox, deviceID: device, makeUUID: UUID.init)
    let entries = try journal.entries()
    #expect(entries.damaged == [] && entries.readable.count == 4)
    let purchase = try #require(entries.readable.first?.state.purchase)
    let kept = try journal.transactions(limit: 10)
    #expect(kept.map(\.transactionID) == [purchase.transactionID])
    #expect(kept.map(\.signedTransaction) == [purchase.signedTransaction])
    #expect(kept.map(\.finishState) == [.unfinished] && kept.map(\.account) == [nil])
    // The next change of the entry refers to the kept transaction.
    let sequence = try #require(entries.readable.first?.sequence)
    _ = try journal.apply(.finishRequested, to: sequence)
    _ = try journal.apply(.finishAcknowledged, to: sequence)
    #expect(try journal.transactions(limit: 10).map(\.finishState) == [.finished])
    try journal.close()
    #expect(try rows() == Array(rowsBefore.dropFirst()))
  }

  @Test("B4 a journal with transactions, and without the revision of their changes, keeps every row and state")
  func migrationOfRevisions() throws {
    let before = try VersionBefore("journal-4")
    defer { before.remove() }
    let file = before.folder.appending(path: "payment-queue.sqlite")
    let tables = ["installation", "queueEntry", "deviceTransaction", "signatureHeader"]
    func rows(_ columns: [String: String]) throws -> [[String]] {
      let queue = try DatabaseQueue(path: file.path)
      defer { try? queue.close() }
      return try queue.read { database in
        try tables.flatMap { table in
          try Row.fetchAll(database, sql: "SELECT \(columns[table] ?? "*") FROM \(table) ORDER BY rowid")
            .map { $0.databaseValues.map(\.description) }
        }
      }
    }
    let queue = try DatabaseQueue(path: file.path)
    let columns = try queue.read { database in
      Dictionary(
        uniqueKeysWithValues: try tables.map {
          ($0, try database.columns(in: $0).map { "\"\($0.name)\"" }.joined(separator: ", "))
        })
    }
    try queue.close()
    let rowsBefore = try rows(columns)
    let metadata = try VersionBefore.metadata("journal-4")
    let journal = try PaymentJournal(
      at: file, bundleID: "com.xamarin.storekit.testing", environment: .sandbox,
      deviceID: UUID(uuidString: try metadata.text("device")), makeUUID: UUID.init)
    #expect(try journal.transactionPlace() == TransactionPlace(account: "customer", revision: nil))
    let kept = try journal.transactions(limit: 10)
    #expect(kept.map(\.finishState) == [.finished, .unfinished, .finishing] && kept.allSatisfy { $0.revision == nil })
    #expect(kept.first?.transactionID.rawValue == (try metadata.text("finished")))
    #expect(try journal.entries().damaged == [] && journal.entries().readable.count == 4)
    try journal.close()
    #expect(try rows(columns) == rowsBefore && rowsBefore.count >= 9)
  }
}

extension DeviceTransaction {
  /// A transaction without a genuine signature. Its date grows with its number.
  fileprivate static func sample(
    _ number: Int, of original: Int? = nil, type: ProductType = .consumable, payloadSize: Int = 10,
    isRefunded: Bool = false
  ) -> DeviceTransaction {
    let date = StoreDate(millisecondsSince1970: type == .nonConsumable ? 1 : Int64(number) * 1_000)
    let payload = String(repeating: "p", count: payloadSize - 6) + "\(100_000 + number)"
    return DeviceTransaction(
      transactionID: TransactionID(UInt64(number)), originalTransactionID: TransactionID(UInt64(original ?? number)),
      productID: "com.example.product", type: type, purchaseDate: date, revocationDate: isRefunded ? date : nil,
      signedDate: date,
      signedTransaction: "\(String(repeating: "h", count: 6_000)).\(payload).\(String(repeating: "s", count: 86))")
  }
}
