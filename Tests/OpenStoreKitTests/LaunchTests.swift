import AppStoreEmulator
import Foundation
import GRDB
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("What the next launch finds", .timeLimit(.minutes(30)))
struct LaunchTests {
  @Test("B4 an unfinished transaction is delivered again at the next launch, and not after it was finished")
  func redelivery() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    let first = RecordingObserver()
    device.paymentQueue.add(first)
    device.paymentQueue.add(.of(TestStore.five, quantity: 2, username: "somebody"))
    let identifier = try await first.next(.purchased).transactionIdentifier
    try await device.close()

    device = try test.device(storage: .directory(folder.url))
    let second = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(second)
    let again = try await second.next(.purchased)
    #expect(again.transactionIdentifier == identifier)
    #expect(again.payment.quantity == 2)
    #expect(again.payment.applicationUsername == "somebody")
    #expect(try await second.next().event == .removed(TestStore.five))
    try await device.close()

    device = try test.device(storage: .directory(folder.url))
    let third = RecordingObserver()
    device.paymentQueue.add(third)
    device.paymentQueue.add(.of(TestStore.ten))
    #expect(try await third.next().event == .updated(TestStore.ten, .purchasing, nil))
  }

  @Test("B9 ended after the confirmation left, before the answer came: the next launch is given the one transaction")
  func killedWhilePaying() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(test.store)
    connection.loseAnswer(to: .confirm)
    let retry = ManualRetry()
    var device = try test.device(through: connection, storage: .directory(folder.url), retry: retry)
    let first = RecordingObserver()
    device.paymentQueue.add(first)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    try await device.close()

    let customer = ScriptedCustomer()
    device = try test.device(storage: .directory(folder.url), customer: customer)
    let second = RecordingObserver()
    device.paymentQueue.add(second)
    _ = try await second.next(.purchased)
    #expect(customer.askedToConfirm.isEmpty)
    #expect(try await test.store.charges().count == 1)
    #expect(try await test.store.transactions().count == 1)
  }

  @Test("B9 ended before the customer confirmed: the next launch asks, and nothing was charged")
  func killedBeforeConfirming() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(test.store)
    connection.script(.quote, .unreachable)
    let retry = ManualRetry()
    var device = try test.device(through: connection, storage: .directory(folder.url), retry: retry)
    let first = RecordingObserver()
    device.paymentQueue.add(first)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    try await device.close()
    #expect(try await test.store.charges().isEmpty)

    let customer = ScriptedCustomer()
    device = try test.device(storage: .directory(folder.url), customer: customer)
    let second = RecordingObserver()
    device.paymentQueue.add(second)
    #expect(try await second.next().event == .updated(TestStore.five, .purchasing, nil))
    _ = try await second.next(.purchased)
    #expect(customer.askedToConfirm.count == 1)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("B4 a purchase made outside the app is delivered once an observer is attached")
  func purchaseMadeOutsideTheApp() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.purchased)
    device.paymentQueue.remove(observer)

    let outside = try await test.store.purchase(
      ProductID(TestStore.ten), of: TestStore.bundleID, for: "customer", in: .sandbox)
    let second = RecordingObserver()
    device.paymentQueue.add(second)
    #expect(try await second.next(.purchased).payment.productIdentifier == TestStore.five)
    let delivered = try await second.next(.purchased)
    #expect(delivered.transactionIdentifier == outside.record.transactionID.rawValue)
    #expect(delivered.payment.productIdentifier == TestStore.ten)
  }

  @Test("B9 a store that was reset cannot hold a charge of its earlier life: what was confirmed under it fails")
  func otherEpoch() async throws {
    let old = try await TestStore(seed: 1)
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(old.store)
    connection.script(.confirm, .unreachable)
    let retry = ManualRetry()
    var device = try old.device(through: connection, storage: .directory(folder.url), retry: retry)
    let first = RecordingObserver()
    device.paymentQueue.add(first)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    try await device.close()

    let new = try await TestStore(seed: 2)
    device = try new.device(storage: .directory(folder.url))
    let second = RecordingObserver()
    device.paymentQueue.add(second)
    let failed = try await second.next(.failed)
    #expect((failed.error as? SKError)?.code == .unknown)
    #expect(try await new.store.charges().isEmpty)
  }

  @Test("G6 the same epoch under another root is not believed: nothing is asked of such a store")
  func otherRoot() async throws {
    let (folder, keys) = (TemporaryFolder(), TemporaryFolder())
    let genuine = try await TestStore(seed: 9)
    var device = try genuine.device(storage: .directory(folder.url))
    let first = RecordingObserver()
    device.paymentQueue.add(first)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await first.next(.purchased)
    try await device.close()

    let impostor = try EmulatedAppStore(.init(directory: nil, keyDirectory: keys.url, seed: 9))
    try await impostor.serve(TestStore.bundleID, catalog: [TestStore.catalog()])
    let (retry, problems, connection) = (ManualRetry(), Problems(), ScriptedConnection(impostor))
    device = try genuine.device(
      through: connection, storage: .directory(folder.url), retry: retry, problems: problems)
    device.paymentQueue.add(RecordingObserver.lasting)
    _ = await retry.nextWait()
    #expect(problems.all.contains { $0.description == StoreKitDeviceError.storeRootChanged.description })
    #expect(Set(connection.sent) == [.register])
  }

  @Test(
    "G1 F3 the receipt is there before the app is reported, is bound to the device, and comes back if its file was lost"
  )
  func receiptFile() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    #expect(!FileManager.default.fileExists(atPath: device.receiptURL.path))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let paid = try await observer.next(.purchased)
    let receipt = try Data(contentsOf: device.receiptURL)
    let verified = try await SignedDataVerifier(anchors: try test.store.authority.anchors).verifyAppReceipt(
      receipt,
      expecting: Expectation(
        bundleID: TestStore.bundleID, environments: [.sandbox], device: .vendorIdentifier(device.deviceID)))
    #expect(verified.value.inAppPurchases.map(\.transactionID.rawValue) == [paid.transactionIdentifier])

    try await device.close()
    try FileManager.default.removeItem(at: device.receiptURL)
    device = try test.device(storage: .directory(folder.url))
    #expect(try Data(contentsOf: device.receiptURL) == receipt)
  }

  @Test("a payment that failed here, and that the store proves was charged, is delivered all the same, once")
  func failedButCharged() throws {
    let journal = try PaymentJournal.inMemory()
    let entry = try journal.add(PaymentRequest(paymentID: "1", productID: "a"), at: SystemClock().now)
    _ = try journal.apply(.failed(PaymentFailure(.unknown, "no")), to: entry.sequence)
    let arrival = PaymentJournal.Arrival.of(payment: "1", product: "a", transaction: 7)
    let delivered = try journal.accept(unfinished: [arrival, arrival], receipt: nil)
    #expect(delivered.map(\.state) == [.purchased(arrival.transaction)])
    #expect(delivered.first?.sequence != entry.sequence)
    #expect(try journal.accept(unfinished: [arrival], receipt: nil).isEmpty)
    // When the app finishes the failed transaction, the purchased one stays.
    _ = try journal.apply(.finishRequested, to: entry.sequence)
    #expect(try journal.entries().readable.map(\.state) == [.purchased(arrival.transaction)])
  }

  @Test("B9 H2 the answer to a payment that was delivered and finished meanwhile does not bring it back")
  func lateAnswer() throws {
    let journal = try PaymentJournal.inMemory()
    let entry = try journal.add(PaymentRequest(paymentID: "1", productID: "a"), at: SystemClock().now)
    let arrival = PaymentJournal.Arrival.of(payment: "1", product: "a", transaction: 7)
    #expect(try journal.accept(unfinished: [arrival], receipt: nil).map(\.sequence) == [entry.sequence])
    _ = try journal.apply(.finishRequested, to: entry.sequence)
    _ = try journal.apply(.finishAcknowledged, to: entry.sequence)
    #expect(try journal.accept(arrival, answering: entry.sequence, paidBy: "ada", receipt: nil) == nil)
    #expect(try journal.entries().readable.isEmpty)
  }

  @Test(
    "G6 a transaction said to answer a payment for something else is delivered as what it is, and the payment waits")
  func mispaired() throws {
    let journal = try PaymentJournal.inMemory()
    let entry = try journal.add(PaymentRequest(paymentID: "1", productID: "ten", quantity: 10), at: SystemClock().now)
    let arrival = PaymentJournal.Arrival.of(payment: "1", product: "five", transaction: 7)
    let delivered = try journal.accept(unfinished: [arrival], receipt: nil)
    #expect(delivered.map(\.payment.productID) == ["five"])
    #expect(delivered.map(\.payment.quantity) == [1])
    #expect(try journal.payments().map(\.sequence) == [entry.sequence])
  }

  @Test(
    "B4 a line of the journal that cannot be read keeps no other from the app, is reported, and comes back from the store"
  )
  func damagedLine() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    let first = RecordingObserver()
    device.paymentQueue.add(first)
    var identifiers: [String?] = []
    for product in [TestStore.five, TestStore.ten] {
      device.paymentQueue.add(.of(product))
      identifiers.append(try await first.next(.purchased).transactionIdentifier)
    }
    try await device.close()
    let file = try DatabaseQueue(path: folder.url.appending(path: "payment-queue.sqlite").path)
    try await file.write { try $0.execute(sql: #"UPDATE queueEntry SET state = '{"later":{}}' WHERE sequence = 1"#) }
    try file.close()

    let problems = Problems()
    device = try test.device(storage: .directory(folder.url), problems: problems)
    #expect(problems.all.count == 1)
    #expect(device.paymentQueue.transactions.map(\.payment.productIdentifier) == [TestStore.ten])
    let second = RecordingObserver()
    device.paymentQueue.add(second)
    #expect(try await second.next(.purchased).payment.productIdentifier == TestStore.ten)
    // The store redelivers the transaction whose row could not be read.
    let recovered = try await second.next(.purchased)
    #expect(recovered.payment.productIdentifier == TestStore.five)
    #expect(recovered.transactionIdentifier == identifiers[0])
  }

  @Test("an installation's folder belongs to one app in one environment")
  func otherApp() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    try await test.device(storage: .directory(folder.url)).close()
    #expect(throws: StoreKitDeviceError.folderOfAnotherApp(TestStore.bundleID, .sandbox)) {
      try StoreKitDevice(connection: test.store, bundleID: "com.example.other", storage: .directory(folder.url))
    }
  }

  @Test("one process owns an installation's folder")
  func oneOwner() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let device = try test.device(storage: .directory(folder.url))
    await #expect(processExitsWith: .exitCode(42)) { [path = folder.url.path as String] in
      do {
        _ = try PaymentJournal(
          at: URL(filePath: path).appending(path: "payment-queue.sqlite"), bundleID: TestStore.bundleID,
          environment: .sandbox, deviceID: nil, makeUUID: UUID.init)
      } catch {
        exit("\(error)".contains("in use by another process") ? 42 : 1)
      }
    }
    try await device.close()
  }
}
