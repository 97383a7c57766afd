import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("A purchase through the queue", .timeLimit(.minutes(30)))
struct PurchaseTests {
  @Test("B1 B3 B4 a payment is purchasing, then purchased, as the same object, and leaves when it is finished")
  func wholePurchase() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    let payment = SKMutablePayment()
    payment.productIdentifier = TestStore.five
    device.paymentQueue.add(payment)

    let begun = try await observer.next()
    #expect(begun.event == .updated(TestStore.five, .purchasing, nil))
    let paid = try await observer.next()
    #expect(paid.transaction === begun.transaction)
    #expect(paid.transaction.transactionState == .purchased)
    let stored = try #require(try await test.store.transactions().first)
    #expect(paid.transaction.transactionIdentifier == stored.record.transactionID.rawValue)
    #expect(paid.transaction.transactionDate == stored.record.purchaseDate.date)
    #expect(device.paymentQueue.transactions.map(ObjectIdentifier.init) == [ObjectIdentifier(paid.transaction)])

    device.paymentQueue.finishTransaction(paid.transaction)
    #expect(try await observer.next().event == .removed(TestStore.five))
    #expect(device.paymentQueue.transactions.isEmpty)
    #expect(try await test.store.charges().map(\.amount) == [Milliunits(990)])
  }
}
