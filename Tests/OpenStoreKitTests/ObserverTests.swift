import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Observers of the queue", .timeLimit(.minutes(30)))
struct ObserverTests {
  @Test("every observer receives every change, and a later one receives the transactions in the queue")
  func several() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let (first, second, late) = (RecordingObserver(), RecordingObserver(), RecordingObserver())
    device.paymentQueue.add(first)
    device.paymentQueue.add(second)
    device.paymentQueue.add(.of(TestStore.five))
    let paid = try await first.next(.purchased)
    #expect(try await second.next(.purchased) === paid)
    device.paymentQueue.add(late)
    #expect(try await late.next(.purchased) === paid)
    #expect(device.paymentQueue.transactionObservers.count == 3)
    device.paymentQueue.remove(second)
    #expect(device.paymentQueue.transactionObservers.count == 2)
  }

  @Test("observers are not retained")
  func weak() async throws {
    let test = try await TestStore()
    let device = try test.device()
    do {
      let observer = RecordingObserver()
      device.paymentQueue.add(observer)
      #expect(device.paymentQueue.transactionObservers.count == 1)
    }
    #expect(device.paymentQueue.transactionObservers.isEmpty)
  }

  @Test("payments are forwarded in the order of adding, and each is charged: the same payment twice is two charges")
  func order() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    let payment = SKPayment.of(TestStore.five)
    device.paymentQueue.add(payment)
    device.paymentQueue.add(.of(TestStore.ten))
    device.paymentQueue.add(payment)
    var bought: [String] = []
    for _ in 0..<3 { bought.append(try await observer.next(.purchased).payment.productIdentifier) }
    #expect(bought == [TestStore.five, TestStore.ten, TestStore.five])
    #expect(try await test.store.charges().count == 3)
  }

  @Test("finishing twice is harmless, and is reported once")
  func finishTwice() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let paid = try await observer.next(.purchased)
    device.paymentQueue.finishTransaction(paid)
    device.paymentQueue.finishTransaction(paid)
    #expect(try await observer.next().event == .removed(TestStore.five))
    device.paymentQueue.finishTransaction(paid)
    device.paymentQueue.add(.of(TestStore.ten))
    #expect(try await observer.next().event == .updated(TestStore.ten, .purchasing, nil))
  }

  @Test("callbacks come on the main queue")
  func mainQueue() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let observer = QueueCheckingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    await observer.purchased.next()
  }

  @Test(
    "an empty product identifier, a quantity below 1 and finishing a purchasing transaction end the process, where Apple raises an exception"
  )
  func exceptions() async {
    await #expect(processExitsWith: .failure) { SKPaymentQueue().add(SKPayment()) }
    await #expect(processExitsWith: .failure) { SKPaymentQueue().add(SKPayment.of("a", quantity: 0)) }
    await #expect(processExitsWith: .failure) {
      let queue = SKPaymentQueue()
      let entry = QueueEntry(
        sequence: 1, payment: PaymentRequest(paymentID: "1", productID: "a"), state: .added)
      queue.finishTransaction(queue.state.post([entry])[0])
    }
  }
}

/// An observer that ends the process if it is not called on the main queue.
private final class QueueCheckingObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  let purchased = EventCounter()

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    dispatchPrecondition(condition: .onQueue(.main))
    if transactions.contains(where: { $0.transactionState == .purchased }) { purchased.happened() }
  }
}
