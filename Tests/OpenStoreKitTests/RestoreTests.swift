import AppStoreEmulator
import Foundation
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Restoring", .timeLimit(.minutes(30)))
struct RestoreTests {
  /// Restores with an observer attached, and returns what it received.
  private func restore(
    on device: StoreKitDevice, username: String? = nil
  ) async -> (transactions: [[SKPaymentTransaction]], end: RestoreObserver.End) {
    let observer = RestoreObserver()
    device.paymentQueue.add(observer)
    defer { device.paymentQueue.remove(observer) }
    device.paymentQueue.restoreCompletedTransactions(withApplicationUsername: username)
    return await observer.end()
  }

  @Test("E1 E2 each comes as a new transaction in state restored, with its original; the product is read from that")
  func restored() async throws {
    let test = try await TestStore.lasting()
    var bought: [String: TransactionID] = [:]
    for product in [TestStore.sepia, TestStore.greyscale, TestStore.monthly, TestStore.five] {
      bought[product] = try await test.boughtLongAgo(product)
    }
    let customer = ScriptedCustomer()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection, customer: customer)
    let (batches, end) = await restore(on: device)
    #expect(end == .finished)
    #expect(customer.askedToSignIn == [.notSignedIn])
    #expect(customer.askedToConfirm.isEmpty)
    let transactions = try #require(batches.first)
    #expect(batches.count == 1)
    #expect(
      transactions.map { $0.original?.payment.productIdentifier } == [
        TestStore.sepia, TestStore.greyscale, TestStore.monthly,
      ])
    for transaction in transactions {
      let original = try #require(transaction.original)
      #expect(transaction.transactionState == .restored)
      #expect(transaction.transactionDate != nil)
      #expect(original.transactionIdentifier == bought[original.payment.productIdentifier]?.rawValue)
      #expect(transaction.transactionIdentifier != original.transactionIdentifier)
      #expect(original.transactionDate != nil)
      #expect(
        try UnverifiedLegacyReceipt(try #require(original.transactionReceipt)).receipt.productID.rawValue
          == original.payment.productIdentifier)
    }
    // The app finishes restored transactions, too. The device need not notify the store of it.
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    for transaction in transactions { device.paymentQueue.finishTransaction(transaction) }
    for transaction in transactions {
      while true {
        if case .removed(let product) = try await observer.next().event {
          #expect(product == transaction.payment.productIdentifier)
          break
        }
      }
    }
    #expect(device.paymentQueue.transactions.isEmpty)
    #expect(!connection.sent.contains(.finish))
    #expect(try await test.store.charges().count == 4)
  }

  @Test(
    "E3 E4 with nothing to restore updatedTransactions is not called, the end is reported, and the receipt is there")
  func nothing() async throws {
    let test = try await TestStore.lasting()
    try await test.boughtLongAgo(TestStore.five)
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let (batches, end) = await restore(on: device)
    #expect(batches.isEmpty)
    #expect(end == .finished)
    #expect(customer.askedToSignIn == [.notSignedIn])
    #expect(FileManager.default.fileExists(atPath: device.receiptURL.path))
  }

  @Test("E4 without a network, a sign-in or a device it says that it has failed")
  func fails() async throws {
    let test = try await TestStore.lasting()
    try await test.boughtLongAgo(TestStore.sepia)
    let connection = ScriptedConnection(test.store)
    connection.script(.restore, .unreachable)
    let device = try test.device(through: connection, customer: ScriptedCustomer(signIns: [.cancel]))
    #expect(await restore(on: device).end == .failed(domain: NSURLErrorDomain, code: -1004))
    #expect(
      await restore(on: device, username: "ada").end
        == .failed(domain: SKErrorDomain, code: SKError.paymentCancelled.rawValue))
    try await device.close()
    #expect(await restore(on: device).end == .failed(domain: SKErrorDomain, code: 0))
  }

  @Test("E5 any number of times with the same result; a second set comes as new transactions")
  func again() async throws {
    let test = try await TestStore.lasting()
    try await test.boughtLongAgo(TestStore.sepia)
    let device = try test.device()
    let first = try #require(await restore(on: device).transactions.first?.first)
    let second = try #require(
      await restore(on: device).transactions.joined().first { $0 !== first })
    #expect(first.transactionIdentifier != second.transactionIdentifier)
    #expect(first.original?.transactionIdentifier == second.original?.transactionIdentifier)
    #expect(device.paymentQueue.transactions.count == 2)
  }

  @Test("E1 E4 a thousand items arrive, page by page and each once, before the end is reported")
  func thousand() async throws {
    let test = try await TestStore.lasting(more: 1_000)
    for number in 0..<1_000 { try await test.boughtLongAgo("\(TestStore.bundleID).thing\(number)") }
    let device = try test.device()
    let (batches, end) = await restore(on: device)
    #expect(end == .finished)
    #expect(batches.map(\.count) == Array(repeating: 100, count: 10))
    #expect(
      batches.joined().map { $0.original?.payment.productIdentifier }
        == (0..<1_000).map { "\(TestStore.bundleID).thing\($0)" })
    let receipt = try UnverifiedAppReceipt(try Data(contentsOf: device.receiptURL)).receipt
    #expect(receipt.inAppPurchases.count == 1_000)
  }

  @Test("E4 E5 a page that does not come: what came stays, the end says failed, and restoring again brings all")
  func partialFailure() async throws {
    let test = try await TestStore.lasting(more: 150)
    for number in 0..<150 { try await test.boughtLongAgo("\(TestStore.bundleID).thing\(number)") }
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    try await device.signIn(SignInCredentials(account: "customer"))
    connection.script(.restore, .pass, .answerLost)
    let (batches, end) = await restore(on: device)
    #expect(end == .failed(domain: NSURLErrorDomain, code: -1005))
    #expect(batches.map(\.count) == [100])
    #expect(device.paymentQueue.transactions.count == 100)
    for transaction in device.paymentQueue.transactions { device.paymentQueue.finishTransaction(transaction) }
    let again = await restore(on: device)
    #expect(again.end == .finished)
    #expect(Set(again.transactions.joined().map { $0.payment.productIdentifier }).count == 150)
  }

  @Test("E4 E5 a second restore while one runs is logged and changes nothing: one end, with all purchases")
  func twoAtOnce() async throws {
    let test = try await TestStore.lasting()
    try await test.boughtLongAgo(TestStore.sepia)
    let problems = Problems()
    let device = try test.device(problems: problems)
    let observer = RestoreObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.restoreCompletedTransactions()
    device.paymentQueue.restoreCompletedTransactions()
    let (first, end) = await observer.end()
    #expect(end == .finished)
    #expect(first.joined().count == 1)
    #expect(
      problems.all == [
        .misuse("restoreCompletedTransactions was ignored, because an earlier call is still restoring purchases.")
      ])
    // The next end is that of the next restore.
    for transaction in device.paymentQueue.transactions { device.paymentQueue.finishTransaction(transaction) }
    device.paymentQueue.restoreCompletedTransactions()
    let (second, secondEnd) = await observer.end()
    #expect(secondEnd == .finished)
    #expect(second.joined().count == 1)
  }

  @Test("E1 the wrong account restores nothing of the other's; the right one, signed in later, does")
  func wrongAccount() async throws {
    let test = try await TestStore.lasting()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    try await test.boughtLongAgo(TestStore.sepia, for: "ada")
    let device = try test.device()
    #expect(await restore(on: device).transactions.isEmpty)
    try await device.signIn(SignInCredentials(account: "ada"))
    #expect(await restore(on: device).transactions.joined().count == 1)
  }

  @Test("E1 restored payments have the username they were bought with, or the one that is given")
  func applicationUsername() async throws {
    let test = try await TestStore.lasting()
    try await test.boughtLongAgo(TestStore.sepia)
    let device = try test.device()
    let batches = await restore(on: device, username: "ada").transactions
    #expect(batches.joined().map(\.payment.applicationUsername) == ["ada"])
  }

  @Test("E2 B4 what was restored and not finished comes again at the next launch, also offline")
  func relaunch() async throws {
    let test = try await TestStore.lasting()
    try await test.boughtLongAgo(TestStore.sepia)
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    let restored = try #require(await restore(on: device).transactions.first?.first)
    try await device.close()

    let offline = ScriptedConnection(test.store)
    offline.script(.register, .unreachable, .unreachable, .unreachable)
    device = try test.device(through: offline, storage: .directory(folder.url))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    let again = try await observer.next(.restored)
    #expect(again.transactionIdentifier == restored.transactionIdentifier)
    #expect(again.original?.transactionIdentifier == restored.original?.transactionIdentifier)
    device.paymentQueue.finishTransaction(again)
    #expect(try await observer.next().event == .removed(TestStore.sepia))
    try await device.close()
    device = try test.device(storage: .directory(folder.url))
    #expect(device.paymentQueue.transactions.isEmpty)
  }

  @Test("E5 D3 a restore that races a purchase of the same thing: one charge, and both end")
  func racesPurchase() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    try await device.signIn(SignInCredentials(account: "customer"))
    for product in [TestStore.sepia, TestStore.greyscale] {
      let (observer, restoring) = (RecordingObserver(finishesEverything: true), RestoreObserver())
      device.paymentQueue.add(observer)
      device.paymentQueue.add(restoring)
      device.paymentQueue.add(.of(product))
      device.paymentQueue.restoreCompletedTransactions()
      #expect(await restoring.end().end == .finished)
      while try await observer.next(.purchased).payment.productIdentifier != product {}
      device.paymentQueue.remove(observer)
      device.paymentQueue.remove(restoring)
    }
    #expect(try await test.store.charges().count == 2)
  }

  @Test("E5 what was finished here a moment ago is restored: the store hears of the finish first")
  func rightAfterFinishing() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    connection.script(.finish, .unreachable)
    let device = try test.device(through: connection)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    device.paymentQueue.finishTransaction(try await observer.next(.purchased))
    while try await observer.next().event != .removed(TestStore.sepia) {}
    #expect(await restore(on: device).transactions.joined().map(\.payment.productIdentifier) == [TestStore.sepia])
  }

  @Test(
    "E1 another account between two pages: the restore fails, and nothing of the second account is taken for the first's"
  )
  func accountChanges() async throws {
    let test = try await TestStore.lasting(more: 150)
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    for number in 0..<150 { try await test.boughtLongAgo("\(TestStore.bundleID).thing\(number)") }
    try await test.boughtLongAgo(TestStore.sepia, for: "ada")
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    try await device.signIn(SignInCredentials(account: "customer"))
    let (store, installation) = (test.store, device.installationID)
    connection.beforeNext(.restore, skipping: 1) {
      _ = try await store.signIn(SignInCredentials(account: "ada"), on: installation)
    }
    let (batches, end) = await restore(on: device)
    #expect(batches.map(\.count) == [100])
    #expect(end == .failed(domain: SKErrorDomain, code: 0))
  }

  @Test("E1 what cannot be believed is not delivered, and the restore says that it has failed; what can be is")
  func forged() async throws {
    let test = try await TestStore.lasting()
    try await test.boughtLongAgo(TestStore.sepia)
    try await test.boughtLongAgo(TestStore.greyscale)
    let connection = ScriptedConnection(test.store)
    connection.rewriteRestoredPages { page in
      let deliveries = page.batch.deliveries.map { delivery in
        guard delivery == page.batch.deliveries.first else {
          return delivery
        }
        return TransactionDelivery(
          paymentID: nil, signedTransaction: delivery.signedTransaction.replacing("e", with: "f", maxReplacements: 1),
          applicationUsername: nil, redelivery: delivery.redelivery)
      }
      return RestoredPage(
        batch: DeliveryBatch(deliveries: deliveries, receipt: page.batch.receipt), next: page.next)
    }
    let device = try test.device(through: connection)
    let (batches, end) = await restore(on: device)
    #expect(batches.joined().map(\.payment.productIdentifier) == [TestStore.greyscale])
    #expect(end != .finished)
  }
}
