import AppStoreEmulator
import Foundation
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

/// The table of outcomes in Documentation/storekit2.md, "A purchase", as far as it concerns the journal.
@Suite("Outcomes of payments of StoreKit 2", .timeLimit(.minutes(10)))
struct PurchaseOutcomeTests {
  @Test("B1 an unfinished consumable is returned again, without a sheet; after the finish, it is bought anew")
  func unfinishedConsumable() async throws {
    let (test, customer) = (try await TestStore.lasting(), ScriptedCustomer())
    let device = try test.device(customer: customer)
    let id = try #require(try await device.buy(TestStore.five).purchased)
    #expect(try await device.buy(TestStore.five).purchased == id)
    #expect(customer.askedToConfirm.count == 1)
    await device.engine.finish(signed: id)
    let second = try #require(try await device.buy(TestStore.five).purchased)
    #expect(second != id)
    #expect(try await test.store.charges().count == 2)
  }

  @Test("C4 a consumable that was charged, and whose answer was lost, is the outcome of a second payment: one charge")
  func secondPayment() async throws {
    let (test, folder) = (try await TestStore.lasting(), TemporaryFolder())
    let connection = ScriptedConnection(test.store)
    connection.loseAnswer(to: .confirm)
    connection.cutOff(.unfinished)
    do {
      let device = try test.device(through: connection, storage: .directory(folder.url))
      let call = Task { try await device.buy(TestStore.five) }
      while try await test.store.charges().isEmpty { await Task.yield() }
      #expect(device.openPayments.map(\.productIdentifier) == [TestStore.five])
      try await device.close()
      await #expect(throws: StoreKitDeviceError.closed) { try await call.value }
    }
    let customer = ScriptedCustomer()
    let device = try test.device(through: connection, storage: .directory(folder.url), customer: customer)
    #expect(device.openPayments.map(\.productIdentifier) == [TestStore.five])
    let second = Task { try await device.buy(TestStore.five) }
    while try device.journal.payments().count < 2 { await Task.yield() }
    connection.endScript(of: .confirm)
    connection.endScript(of: .unfinished)
    // What waits for a retry goes on at once when the network returns.
    for isOffline in [true, false] { device.switches.isOffline = isOffline }
    let id = try #require(try await second.value.purchased)
    #expect(try device.journal.unfinished() == [id] && device.openPayments.isEmpty)
    #expect(customer.askedToConfirm.isEmpty)
    #expect(try await test.store.charges().count == 1)
    try await device.close()
  }

  @Test("an unfinished consumable that was refunded completely is not returned again; one that was refunded in part is")
  func refundedConsumable() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let first = try #require(try await device.buy(TestStore.five).purchased)
    try await test.store.refund(first, percentage: 50_000)
    #expect(await device.refresh().isCurrent)
    #expect(try await device.buy(TestStore.five).purchased == first)
    await device.engine.finish(signed: first)
    let second = try #require(try await device.buy(TestStore.five).purchased)
    try await test.store.refund(second)
    #expect(await device.refresh().isCurrent)
    let third = try #require(try await device.buy(TestStore.five).purchased)
    #expect(third != second)
    #expect(try await test.store.charges().count == 3)
  }

  @Test(
    "an answer that cannot be read, or whose receipt is not of this app, ends the call; the payment goes on",
    arguments: [true, false])
  func unreadable(isReceipt: Bool) async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    connection.rewriteConfirmations { result in
      guard case .purchased(let batch) = result, let delivery = batch.deliveries.first else { return result }
      let unreadable = TransactionDelivery(
        paymentID: delivery.paymentID, signedTransaction: "a.b.c", applicationUsername: nil)
      return .purchased(
        isReceipt
          ? DeliveryBatch(deliveries: batch.deliveries, receipt: Data("no receipt".utf8))
          : DeliveryBatch(deliveries: [unreadable], receipt: nil))
    }
    // The list of unfinished transactions would bring the right copy.
    connection.cutOff(.unfinished)
    connection.cutOff(.transactions)
    let retry = ManualRetry()
    let device = try test.device(through: connection, retry: retry)
    let updates = device.registerTransactionUpdates()
    guard case .unreadable = try await device.buy(TestStore.sepia) else {
      Issue.record("the call has another outcome")
      return
    }
    #expect(try device.journal.unfinished().isEmpty)
    connection.rewriteConfirmations(nil)
    // The other workers wait for a retry, too, and perhaps earlier than the one that sends the payment.
    while try device.journal.announced().isEmpty {
      retry.release()
      await Task.yield()
    }
    let id = try #require(await updates.next()?.stored)
    #expect(try device.journal.unfinished() == [id])
    #expect(try await test.store.charges().count == 1)
  }

  @Test("a redelivery of an owned product is finished at once, and the transaction held is the outcome")
  func redelivered() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let id = try #require(try await device.buy(TestStore.sepia).purchased)
    await device.engine.finish(signed: id)
    #expect(try await device.buy(TestStore.sepia).purchased == id)
    #expect(try device.journal.unfinished().isEmpty)
    #expect(try device.journal.entries().readable.allSatisfy(\.isFinishing))
    #expect(try device.journal.announced().isEmpty)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("a cancelled payment leaves no entry, and observers of StoreKit 1 do not see it")
  func cancelled() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device(customer: ScriptedCustomer(confirmations: [.cancel]))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    #expect(try await device.buy(TestStore.five).failure == .cancelled)
    #expect(try device.journal.entries().readable.isEmpty)
    #expect(device.paymentQueue.transactions.isEmpty)
    #expect(try await test.store.charges().isEmpty)
  }

  @Test("a refused quantity is told apart from other invalid payments")
  func quantity() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let failure = try #require(try await device.buy(TestStore.sepia, quantity: 2).failure)
    #expect(failure.cause == .invalidQuantity && failure.code == SKError.Code.paymentInvalid.rawValue)
    #expect(try device.journal.entries().readable.isEmpty)
  }

  @Test("an interrupted purchase is pending, and leaves no entry; what the store buys later is announced")
  func interrupted() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let updates = device.registerTransactionUpdates()
    try await device.takeHistoryIn()
    try await test.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .needsAttention }
    guard case .pending = try await device.buy(TestStore.sepia) else { throw UnexpectedOutcome() }
    #expect(try device.journal.entries().readable.isEmpty)
    try await test.store.changeCustomer("customer", .sandbox) { $0.paymentMethod = .valid }
    let id = try #require(await updates.next()?.stored)
    #expect(try device.journal.transaction(id)?.productID.rawValue == TestStore.sepia)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("a plan that the customer has is not sold again: the transaction held is the outcome")
  func alreadySubscribed() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    let id = try #require(try await device.buy(TestStore.monthly).purchased)
    #expect(try await device.buy(TestStore.monthly).purchased == id)
    #expect(try device.journal.unfinished() == [id] && device.journal.entries().readable.count == 1)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("a payment that waits for approval is pending, stays over a launch, and its transaction is announced")
  func deferred() async throws {
    let (test, folder) = (try await TestStore.lasting(), TemporaryFolder())
    try await test.store.changeCustomer("customer", .sandbox) { $0.needsApproval = true }
    do {
      let device = try test.device(storage: .directory(folder.url))
      guard case .pending = try await device.buy(TestStore.five) else { throw UnexpectedOutcome() }
      #expect(device.paymentQueue.transactions.isEmpty)
      try await device.close()
    }
    let device = try test.device(storage: .directory(folder.url))
    #expect(try device.journal.entries().readable.map(\.isOfStoreKit2) == [true])
    let updates = device.registerTransactionUpdates()
    let approval = try #require(try await test.store.pendingApprovals().first)
    try await test.store.decideApproval(
      of: approval.payment.paymentID, on: approval.installationID, isApproved: true)
    let id = try #require(await updates.next()?.stored)
    #expect(try device.journal.unfinished() == [id])
    #expect(try await test.store.charges().count == 1)
  }

  @Test("a wrong signature resumes the call; the payment goes on, and its good answer is announced")
  func unverified() async throws {
    let (test, retry) = (try await TestStore.lasting(), ManualRetry())
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection, retry: retry)
    let updates = device.registerTransactionUpdates()
    connection.rewriteConfirmations { result in
      guard case .purchased(let batch) = result else { return result }
      let deliveries = batch.deliveries.map { delivery in
        let parts = delivery.signedTransaction.split(separator: ".")
        return TransactionDelivery(
          paymentID: delivery.paymentID,
          signedTransaction: "\(parts[0]).\(parts[1]).\(String(repeating: "A", count: 86))", applicationUsername: nil)
      }
      return .purchased(DeliveryBatch(deliveries: deliveries, receipt: batch.receipt))
    }
    // The list of unfinished transactions would bring the right copy.
    connection.cutOff(.unfinished)
    connection.cutOff(.transactions)
    guard case .unverified(_, let failure) = try await device.buy(TestStore.five) else { throw UnexpectedOutcome() }
    #expect(failure.fault == .signature)
    #expect(try device.journal.payments().map(\.isOfStoreKit2) == [true])
    #expect(try device.journal.history(withConsumables: true).isEmpty)
    connection.rewriteConfirmations(nil)
    // The other workers wait for a retry, too, and perhaps earlier than the one that sends the payment.
    while try device.journal.announced().isEmpty {
      retry.release()
      await Task.yield()
    }
    let id = try #require(await updates.next()?.stored)
    #expect(try device.journal.announced() == [id] && device.journal.unfinished() == [id])
    #expect(try await test.store.charges().count == 1)
  }

  @Test("the next launch removes a payment that was added, and sends one that was confirmed")
  func relaunch() async throws {
    let (test, folder) = (try await TestStore.lasting(), TemporaryFolder())
    do {
      let connection = ScriptedConnection(test.store)
      connection.loseAnswer(to: .confirm)
      // The list of unfinished transactions would bring the answer.
      connection.cutOff(.unfinished)
      let device = try test.device(through: connection, storage: .directory(folder.url))
      let call = Task { try await device.buy(TestStore.five) }
      while try await test.store.charges().isEmpty { await Task.yield() }
      _ = try device.journal.add(
        PaymentRequest(paymentID: "added", productID: ProductID(TestStore.sepia)), at: SystemClock().now, interface: 2)
      try await device.close()
      await #expect(throws: StoreKitDeviceError.closed) { try await call.value }
    }
    let device = try test.device(storage: .directory(folder.url))
    #expect(try device.journal.entries().readable.map(\.payment.productID.rawValue) == [TestStore.five])
    #expect(device.paymentQueue.transactions.isEmpty)
    let updates = device.registerTransactionUpdates()
    let id = try #require(await updates.next()?.stored)
    #expect(try device.journal.unfinished() == [id])
    #expect(try await test.store.charges().count == 1)
  }

  @Test("a first list that is read on an installation with an open payment begins the use of StoreKit 2")
  func openEntries() async throws {
    let (test, folder) = (try await TestStore.lasting(), TemporaryFolder())
    do {
      let device = try test.device(storage: .directory(folder.url))
      let id = try #require(try await device.buy(TestStore.five).purchased)
      // The finish is stored, and not sent.
      device.switches.isOffline = true
      await device.engine.finish(signed: id)
      try await device.close()
    }
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection, storage: .directory(folder.url))
    #expect(!device.updates.isInUse)
    #expect(await device.refresh().isCurrent)
    #expect(device.updates.isInUse)
    await connection.nextFinish()
    #expect(try await test.store.transactions().allSatisfy { $0.finishedDate != nil })
  }

  @Test("a finish of a non-consumable that another device has bought is stored, and sent")
  func finishedHere() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    let (device, other) = (try test.device(through: connection), try test.device())
    try await device.takeHistoryIn()
    let id = try #require(try await other.buy(TestStore.sepia).purchased)
    #expect(await device.refresh().isCurrent)
    #expect(try device.journal.transaction(id)?.finishState == .undelivered)
    await device.engine.finish(signed: id)
    await connection.nextFinish()
    #expect(try await test.store.transactions().map { $0.finishedDate != nil } == [true])
  }

  @Test("a closed device adds no payment")
  func closed() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device()
    try await device.close()
    await #expect(throws: StoreKitDeviceError.closed) { try await device.buy(TestStore.five) }
    #expect(await !device.refresh().isCurrent)
  }

  private struct UnexpectedOutcome: Error {}
}
