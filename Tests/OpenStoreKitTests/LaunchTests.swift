import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("What the next launch finds")
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

  @Test("B9 killed after the confirmation left, before the answer came: the next launch is given the one transaction")
  func killedWhilePaying() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(test.store)
    connection.script(.confirm, .answerLost)
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

  @Test("B9 killed before the customer confirmed: the next launch asks, and nothing was charged")
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

  @Test("a device whose journal was lost is given its unfinished purchase by the store, if it is the same installation")
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

  @Test("a store that was reset cannot hold a charge of its earlier life: what was confirmed under it fails")
  func otherEpoch() async throws {
    let old = try await TestStore(seed: 1)
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(old.store)
    connection.script(.confirm, .unreachable)
    let retry = ManualRetry()
    var device = try old.device(through: connection, storage: .directory(folder.url), retry: retry)
    device.paymentQueue.add(RecordingObserver())
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

  @Test("the same epoch under another root is not believed")
  func otherRoot() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let journal = try PaymentJournal(at: folder.url.appending(path: "j.sqlite"), deviceID: nil, makeUUID: UUID.init)
    #expect(try journal.adopt(epoch: test.store.epoch, rootFingerprint: "AA").isEmpty)
    #expect(throws: StoreKitDeviceError.storeRootChanged) {
      try journal.adopt(epoch: test.store.epoch, rootFingerprint: "BB")
    }
  }

  @Test("the receipt is there before the app is told, is bound to the device, and comes back if its file was lost")
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
    let journal = try PaymentJournal(at: nil, deviceID: nil, makeUUID: UUID.init)
    let entry = try journal.add(PaymentRequest(paymentID: "1", productID: "a"))
    _ = try journal.apply(.failed(PaymentFailure(.unknown, "no")), to: entry.sequence)
    let arrival = PaymentJournal.Arrival(
      payment: "1",
      transaction: PurchasedTransaction(
        transactionID: TransactionID(7), productID: "a", quantity: 1,
        purchaseDate: StoreDate(millisecondsSince1970: 0), signedTransaction: "x.y.z"),
      applicationUsername: nil)
    let delivered = try journal.accept([arrival, arrival], receipt: nil)
    #expect(delivered.map(\.state) == [.purchased(arrival.transaction)])
    #expect(delivered.first?.sequence != entry.sequence)
    #expect(try journal.accept([arrival], receipt: nil).isEmpty)
    // The app finishes the failed one: the paid one stays.
    _ = try journal.apply(.finishRequested, to: entry.sequence)
    #expect(try journal.entries().map(\.state) == [.purchased(arrival.transaction)])
  }

  @Test("one process owns an installation's folder")
  func oneOwner() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let device = try test.device(storage: .directory(folder.url))
    await #expect(processExitsWith: .exitCode(42)) { [path = folder.url.path as String] in
      do {
        _ = try PaymentJournal(
          at: URL(filePath: path).appending(path: "payment-queue.sqlite"), deviceID: nil, makeUUID: UUID.init)
      } catch {
        exit("\(error)".contains("in use by another process") ? 42 : 1)
      }
    }
    try await device.close()
  }
}
