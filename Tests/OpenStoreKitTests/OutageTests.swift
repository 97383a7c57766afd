import AppStoreEmulator
import Foundation
import ShopFixtures
import SignedData
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("A store that cannot be reached, or does not answer", .timeLimit(.minutes(30)))
struct OutageTests {
  @Test("C4 a payment added while the store is out of reach stays purchasing, and is forwarded when it returns")
  func outageBefore() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    connection.script(.quote, .unreachable, .unreachable)
    let (retry, problems) = (ManualRetry(), Problems())
    let device = try test.device(through: connection, retry: retry, problems: problems)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))

    _ = try await observer.next(.purchasing)
    #expect(await retry.nextWait() == 1)
    retry.release()
    #expect(await retry.nextWait() == 2)
    #expect(device.paymentQueue.transactions.map(\.transactionState) == [.purchasing])
    #expect(!problems.all.isEmpty)
    retry.release()
    _ = try await observer.next(.purchased)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("C4 B9 an answer lost after the charge is asked for again: one charge, one delivery")
  func answerLost() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    connection.script(.confirm, .answerLost, .answerLost)
    let (retry, customer) = (ManualRetry(), ScriptedCustomer())
    let device = try test.device(through: connection, customer: customer, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))

    #expect(await retry.nextWait() == 1)
    #expect(try await test.store.charges().count == 1)
    retry.release()
    #expect(await retry.nextWait() == 2)
    retry.release()
    let paid = try await observer.next(.purchased)
    #expect(connection.sent.filter { $0 == .confirm }.count == 3)
    #expect(customer.askedToConfirm.count == 1)
    let transactions = try await test.store.transactions()
    #expect(transactions.map(\.record.transactionID.rawValue) == [paid.transactionIdentifier])
    #expect(try await test.store.charges().count == 1)
  }

  @Test(
    "G6 a transaction that another authority signed is not believed; the payment stays purchasing until the store answers"
  )
  func forged() async throws {
    let test = try await TestStore()
    let forger = IssuingAuthority()
    let connection = ScriptedConnection(test.store)
    connection.rewriteConfirmations { result in
      guard case .purchased(let batch) = result, let delivery = batch.deliveries.first,
        let genuine = try? UnverifiedJWS(delivery.signedTransaction).transaction(),
        let forged = try? forger.signTransaction(genuine)
      else { return result }
      return .purchased(
        DeliveryBatch(
          deliveries: [
            TransactionDelivery(paymentID: delivery.paymentID, signedTransaction: forged, applicationUsername: nil)
          ], receipt: nil))
    }
    let (retry, problems) = (ManualRetry(), Problems())
    let device = try test.device(through: connection, retry: retry, problems: problems)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    #expect(device.paymentQueue.transactions.map(\.transactionState) == [.purchasing])
    #expect(problems.all.contains { $0.description.contains("chain") })

    connection.rewriteConfirmations(nil)
    retry.release()
    _ = try await observer.next(.purchased)
    #expect(try await test.store.charges().count == 1)
  }

  @Test("G6 a receipt that another authority signed is not believed, and its transaction waits with it")
  func forgedReceipt() async throws {
    let test = try await TestStore()
    let forger = IssuingAuthority()
    let connection = ScriptedConnection(test.store)
    connection.rewriteConfirmations { result in
      guard case .purchased(let batch) = result, let receipt = batch.receipt,
        let contents = try? UnverifiedAppReceipt(receipt).receipt,
        let forged = try? forger.signAppReceipt(contents, at: contents.creationDate)
      else { return result }
      return .purchased(DeliveryBatch(deliveries: batch.deliveries, receipt: forged))
    }
    let retry = ManualRetry()
    let device = try test.device(through: connection, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    #expect(device.paymentQueue.transactions.map(\.transactionState) == [.purchasing])
    #expect(!FileManager.default.fileExists(atPath: device.receiptURL.path))
    connection.rewriteConfirmations(nil)
    retry.release()
    _ = try await observer.next(.purchased)
  }

  @Test("G6 an answer to another payment is not taken for this one's")
  func mismatch() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    connection.rewriteConfirmations { result in
      guard case .purchased(let batch) = result else { return result }
      return .purchased(
        DeliveryBatch(
          deliveries: batch.deliveries.map {
            TransactionDelivery(
              paymentID: "another", signedTransaction: $0.signedTransaction, applicationUsername: nil)
          }, receipt: batch.receipt))
    }
    let retry = ManualRetry()
    let device = try test.device(through: connection, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    #expect(device.paymentQueue.transactions.map(\.transactionState) == [.purchasing])
  }

  @Test("B4 a finish that was not acknowledged is sent again at the next launch, without another delivery to the app")
  func finishLost() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(test.store)
    connection.script(.finish, .unreachable)
    let retry = ManualRetry()
    var device = try test.device(through: connection, storage: .directory(folder.url), retry: retry)
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.purchased)
    #expect(try await observer.next().event == .removed(TestStore.five))
    #expect(await retry.nextWait() == 1)
    #expect(try await test.store.transactions().first?.finishedDate == nil)
    try await device.close()

    let again = ScriptedConnection(test.store)
    device = try test.device(through: again, storage: .directory(folder.url))
    let second = RecordingObserver()
    device.paymentQueue.add(second)
    await again.nextFinish()
    #expect(try await test.store.transactions().first?.finishedDate != nil)
    #expect(device.paymentQueue.transactions.isEmpty)
    device.paymentQueue.add(.of(TestStore.ten))
    // The second observer receives the new payment first, so the finished one was not delivered again.
    #expect(try await second.next().event == .updated(TestStore.ten, .purchasing, nil))
  }

  @Test("without an observer nothing is sent; a payment added then goes out once there is one")
  func gating() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(test.store)
    var device = try test.device(through: connection, storage: .directory(folder.url))
    device.paymentQueue.add(.of(TestStore.five))
    // Closing completes the work that was queued before.
    try await device.close()
    #expect(connection.sent.isEmpty)

    device = try test.device(through: connection, storage: .directory(folder.url))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    _ = try await observer.next(.purchased)
    #expect(connection.sent.contains(.confirm))
  }
}
