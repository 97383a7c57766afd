import AppStoreEmulator
import Foundation
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Buying what is owned", .timeLimit(.minutes(30)))
struct OwnershipTests {
  @Test(
    "D1 D3 sign-in and confirmation as usual, then the customer is told; no charge; purchased, with the first as original"
  )
  func boughtBefore() async throws {
    let test = try await TestStore.lasting()
    let first = try await test.boughtLongAgo(TestStore.sepia)
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    let transaction = try await observer.next(.purchased)
    #expect(customer.askedToSignIn == [.notSignedIn])
    #expect(customer.askedToConfirm.map(\.total.amount) == [Milliunits(2990)])
    let confirmed = try #require(customer.askedToConfirm.first)
    #expect(await customer.nextNotice() == .boughtBefore(confirmed))
    #expect(try await test.store.charges().count == 1)

    let original = try #require(transaction.original)
    #expect(original.transactionIdentifier == first.rawValue)
    #expect(transaction.transactionIdentifier != first.rawValue)
    #expect(original.payment.productIdentifier == TestStore.sepia)
    #expect(original.transactionDate != nil)
    #expect(original === transaction.original)
    let receipt = try UnverifiedLegacyReceipt(try #require(original.transactionReceipt)).receipt
    #expect(receipt.transactionID == first)
    let own = try UnverifiedLegacyReceipt(try #require(transaction.transactionReceipt)).receipt
    #expect(own.originalTransactionID == first)
    // The original is in no queue, so finishing it has no effect.
    device.paymentQueue.finishTransaction(original)
    device.paymentQueue.finishTransaction(transaction)
    #expect(try await observer.next().event == .removed(TestStore.sepia))
  }

  @Test("D3 a first purchase shows no alert that it was bought before, and has no original")
  func firstTime() async throws {
    let test = try await TestStore.lasting()
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    #expect(try await observer.next(.purchased).original == nil)
    #expect(customer.notices.isEmpty)
  }

  @Test("D3 B9 the response is lost and the app launched again: one redelivery, reported once, finished in the store")
  func answerLost() async throws {
    let test = try await TestStore.lasting()
    try await test.boughtLongAgo(TestStore.sepia)
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(test.store)
    connection.loseAnswer(to: .confirm)
    let retry = ManualRetry()
    var device = try test.device(through: connection, storage: .directory(folder.url), retry: retry)
    device.paymentQueue.add(RecordingObserver.lasting)
    device.paymentQueue.add(.of(TestStore.sepia))
    #expect(await retry.nextWait() == 1)
    device.paymentQueue.remove(RecordingObserver.lasting)
    try await device.close()
    connection.endScript(of: .confirm)

    device = try test.device(through: connection, storage: .directory(folder.url), retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    let transaction = try await observer.next(.purchased)
    #expect(transaction.original != nil)
    device.paymentQueue.finishTransaction(transaction)
    await connection.nextFinish()
    #expect(try await test.store.unfinished(for: device.installationID).deliveries.isEmpty)
    #expect(device.paymentQueue.transactions.isEmpty)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("D3 while a first transaction is unfinished, buying again delivers another, with the first as original")
  func unfinishedFirst() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    let first = try await observer.next(.purchased)
    device.paymentQueue.add(.of(TestStore.sepia))
    let second = try await observer.next(.purchased)
    #expect(second.original?.transactionIdentifier == first.transactionIdentifier)
    #expect(device.paymentQueue.transactions.count == 2)
    #expect(try await test.store.charges().count == 1)
  }

  @Test(
    "D3 B2 while a product that was bought again is unfinished, receipts of the same second that list more are kept")
  func receiptsOfOneSecond() async throws {
    // The store's clock stands still, so all receipts have the same date.
    let test = try await TestStore.lasting()
    let sepia = try await test.boughtLongAgo(TestStore.sepia)
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    _ = try await observer.next(.purchased)
    device.paymentQueue.add(.of(TestStore.greyscale))
    let greyscale = try await observer.next(.purchased)
    let receipt = try UnverifiedAppReceipt(try Data(contentsOf: device.receiptURL)).receipt
    #expect(
      receipt.inAppPurchases.map(\.transactionID.rawValue) == [sepia.rawValue, greyscale.transactionIdentifier])
  }

  @Test(
    "D3 B2 another account's receipt of the same second is kept, though what the first account bought is unfinished")
  func receiptOfAnotherAccount() async throws {
    let test = try await TestStore.lasting()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let greyscale = try await test.boughtLongAgo(TestStore.greyscale, for: "ada")
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    _ = try await observer.next(.purchased)
    try await device.signIn(SignInCredentials(account: "ada"))
    try await device.refreshReceipt()
    let receipt = try UnverifiedAppReceipt(try Data(contentsOf: device.receiptURL)).receipt
    #expect(receipt.inAppPurchases.map(\.transactionID) == [greyscale])
  }

  @Test(
    "C2 a subscription that is active: SKErrorDomain 0 over ASDServerErrorDomain 3532, before anything is confirmed")
  func subscribed() async throws {
    let test = try await TestStore.lasting()
    try await test.boughtLongAgo(TestStore.monthly)
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.monthly))
    let error = try #require(try await observer.next(.failed).error)
    #expect((error as? SKError)?.code == .unknown)
    let underlying = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect((underlying.domain, underlying.code) == ("ASDServerErrorDomain", 3532))
    #expect(customer.askedToConfirm.isEmpty)
  }

  @Test("B9 a consumable is never believed to be delivered once more: each made-up id would be given again")
  func forgedRedelivery() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let problems = Problems()
    let device = try test.device(through: connection, problems: problems)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let bought = try await observer.next(.purchased)
    let signed = try #require(
      try await test.store.unfinished(for: device.installationID).deliveries.first?.signedTransaction)
    device.paymentQueue.finishTransaction(bought)
    await connection.nextFinish()
    connection.rewriteBatches { batch in
      let again = TransactionDelivery(
        paymentID: nil, signedTransaction: signed, applicationUsername: nil,
        redelivery: .init(
          transactionID: TransactionID(9_000_000_001), date: StoreDate(millisecondsSince1970: 1_790_000_000_000)))
      return DeliveryBatch(deliveries: batch.deliveries + [again], receipt: batch.receipt)
    }
    // When this later purchase arrives, the device has examined the forged delivery.
    device.applicationWillEnterForeground()
    device.paymentQueue.add(.of(TestStore.sepia))
    #expect(try await observer.next(.purchased).payment.productIdentifier == TestStore.sepia)
    _ = await problems.next()
    #expect(device.paymentQueue.transactions.map(\.payment.productIdentifier) == [TestStore.sepia])
  }

  @Test("G6 what was refunded before its answer came is not given: the payment fails")
  func refundedOnTheWay() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    connection.loseAnswer(to: .confirm)
    let retry = ManualRetry()
    let device = try test.device(through: connection, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    #expect(await retry.nextWait() == 1)
    let charged = try #require(try await test.store.transactions().first)
    try await test.store.refund(charged.record.transactionID)
    connection.endScript(of: .confirm)
    retry.release()
    #expect(try await observer.next(.failed).payment.productIdentifier == TestStore.sepia)
  }
}

@Suite("Revoked products", .timeLimit(.minutes(30)))
struct RevocationTests {
  @Test("B4 B9 a consumable of which a part was refunded before its answer came is delivered, with the revocation")
  func partlyRefundedOnTheWay() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    connection.loseAnswer(to: .confirm)
    let retry = ManualRetry()
    let device = try test.device(through: connection, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.ten))
    #expect(await retry.nextWait() == 1)
    let charged = try #require(try await test.store.transactions().first)
    try await test.store.refund(charged.record.transactionID, percentage: 40_000)
    connection.endScript(of: .confirm)
    retry.release()
    while true {
      let reported = try await observer.next().transaction
      guard reported.transactionState != .purchasing else { continue }
      #expect(reported.transactionState == .purchased)
      #expect(reported.transactionIdentifier == charged.record.transactionID.rawValue)
      #expect(reported.revocationPercentage == 40_000)
      break
    }
  }

  @Test(
    "B4 an unfinished transaction that is partly refunded, or whose refund is reversed, is redelivered in its current state"
  )
  func partlyRefundedWhileUnfinished() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.ten))
    let bought = try await observer.next(.purchased)
    #expect(bought.revocationPercentage == nil)
    let id = try #require(bought.transactionIdentifier.flatMap(TransactionID.init(rawValue:)))
    try await test.store.refund(id, percentage: 25_000)
    #expect(try await observer.next(.purchased) === bought)
    #expect(bought.revocationPercentage == 25_000)
    try await test.store.reverseRefund(of: id)
    #expect(try await observer.next(.purchased) === bought)
    #expect(bought.revocationPercentage == nil)
    #expect(device.paymentQueue.transactions.count == 1)
  }

  @Test("D1 H1 a running app hears of it, and its receipt says so by then")
  func running() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let (observer, events) = (RecordingObserver(), EventObserver())
    device.paymentQueue.add(observer)
    device.paymentQueue.add(events)
    device.paymentQueue.add(.of(TestStore.sepia))
    let bought = try await observer.next(.purchased)
    let id = try #require(bought.transactionIdentifier.flatMap(TransactionID.init(rawValue:)))
    try await test.store.refund(id)
    #expect(await events.next() == .revoked([TestStore.sepia]))
    let receipt = try UnverifiedAppReceipt(try Data(contentsOf: device.receiptURL)).receipt
    #expect(receipt.inAppPurchases.map { $0.cancellationDate != nil } == [true])
  }

  @Test("D1 an app that was closed hears of it at its next launch, once")
  func closed() async throws {
    let test = try await TestStore.lasting()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    let bought = try await observer.next(.purchased)
    let id = try #require(bought.transactionIdentifier.flatMap(TransactionID.init(rawValue:)))
    try await device.close()
    try await test.store.refund(id)

    for product in [TestStore.sepia, TestStore.greyscale] {
      let (connection, stored) = (ScriptedConnection(test.store), EventCounter())
      // The device asks for changes again once it has stored that these are processed.
      connection.beforeNext(.changes, skipping: 1) { stored.happened() }
      device = try test.device(through: connection, storage: .directory(folder.url))
      let events = EventObserver()
      device.paymentQueue.add(events)
      let event = await events.next()
      #expect(event == .revoked([product]))
      await stored.next()
      try await device.close()
      // The second launch is notified of this refund only.
      if product == TestStore.sepia { try await test.store.refund(try await test.boughtLongAgo(TestStore.greyscale)) }
    }
  }

  @Test(
    "D1 refunded while nobody was signed in, or somebody else: the app hears of it when the customer signs in again")
  func signedOut() async throws {
    let test = try await TestStore.lasting()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let id = try await test.boughtLongAgo(TestStore.sepia)
    let device = try test.device()
    try await device.signIn(SignInCredentials(account: "customer"))
    let events = EventObserver()
    device.paymentQueue.add(events)
    try await device.signIn(SignInCredentials(account: "ada"))
    try await test.store.refund(id)
    try await device.signIn(SignInCredentials(account: "customer"))
    #expect(await events.next() == .revoked([TestStore.sepia]))
  }

  @Test(
    "D1 refunded and then signed out while the app was closed: it is told at the next launch, and nothing behind it waits"
  )
  func signedOutWhileClosed() async throws {
    let test = try await TestStore.lasting()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    let bought = try await observer.next(.purchased)
    let id = try #require(bought.transactionIdentifier.flatMap(TransactionID.init(rawValue:)))
    try await device.close()
    try await test.store.refund(id)
    try await test.store.endSignIn(on: device.installationID)
    try await test.store.beginPromotedPurchase(of: ProductID(TestStore.five), on: device.installationID)

    device = try test.device(storage: .directory(folder.url))
    let events = EventObserver()
    device.paymentQueue.add(events)
    #expect(await events.next() == .revoked([TestStore.sepia]))
    #expect(await events.next() == .storePayment(product: TestStore.five, quantity: 1, price: "0.99"))
  }

  @Test("D1 a store that was restored from a snapshot notifies of its revocations again")
  func restoredStore() async throws {
    let test = try await TestStore.lasting()
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    try await device.signIn(SignInCredentials(account: "customer"))
    let id = try await test.boughtLongAgo(TestStore.sepia)
    try await device.close()
    try await test.store.refund(id)
    try await test.store.restore(try await test.store.snapshot())
    device = try test.device(storage: .directory(folder.url))
    let events = EventObserver()
    device.paymentQueue.add(events)
    #expect(await events.next() == .revoked([TestStore.sepia]))
  }

  @Test("D1 a family member's running app hears that the purchaser was refunded")
  func family() async throws {
    let test = try await TestStore.lasting()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ada", family: "credits"))
    try await test.store.changeCustomer("customer", .sandbox) { $0.family = "credits" }
    let device = try test.device(customer: AutomaticCustomer(credentials: SignInCredentials(account: "ada")))
    try await device.signIn(SignInCredentials(account: "ada"))
    let (observer, events) = (RecordingObserver(finishesEverything: true), EventObserver())
    device.paymentQueue.add(observer)
    device.paymentQueue.add(events)
    let id = try await test.boughtLongAgo(TestStore.sepia)
    let shared = try await observer.next(.purchased)
    #expect(shared.payment.productIdentifier == TestStore.sepia)
    #expect(shared.transactionIdentifier != id.rawValue)
    try await test.store.refund(id)
    #expect(await events.next() == .revoked([TestStore.sepia]))
  }
}
