import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

/// Where Apple's framework raises an exception, the process ends with a message.
@Suite("Misuse of the queue", .timeLimit(.minutes(30)))
struct MisuseTests {
  @Test("B1 a payment without a product identifier ends the process, also one that was never given a product")
  func emptyIdentifier() async throws {
    let payment = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SKPaymentQueue().add(SKPayment())
    }
    #expect(try said(payment).contains("the payment has no product identifier"))
    let product = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      SKPaymentQueue().add(SKPayment(product: SKProduct()))
    }
    #expect(try said(product).contains("the payment has no product identifier"))
  }

  @Test("B6 a quantity below 1 ends the process")
  func quantity() async throws {
    for quantity in [0, -1, Int.min] {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        [quantity = quantity as Int] in
        SKPaymentQueue().add(SKPayment.of("a", quantity: quantity))
      }
      #expect(try said(result).contains("the quantity must be at least 1"))
    }
  }

  @Test("B4 finishing a transaction that is still purchasing ends the process of a real device")
  func purchasing() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let test = try await TestStore()
      let device = try test.device()
      let observer = RecordingObserver()
      device.paymentQueue.add(observer)
      device.paymentQueue.add(.of(TestStore.five))
      let transaction = try await observer.next(.purchasing)
      // Resets the transaction's state, because the store may have answered meanwhile.
      transaction.update(
        QueueEntry(sequence: 1, payment: PaymentRequest(paymentID: "1", productID: "a"), state: .added))
      device.paymentQueue.finishTransaction(transaction)
    }
    #expect(try said(result).contains("the transaction is still purchasing"))
  }

  @Test("the shared queue and promotion controller are not handed out as a subclass that they are not")
  func subclasses() async throws {
    let queue = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = QueueOfAClient.default()
    }
    #expect(try said(queue).contains("QueueOfAClient.default(): the shared queue has another class"))
    let controller = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ControllerOfAClient.default()
    }
    #expect(try said(controller).contains("ControllerOfAClient.default(): the shared controller has another class"))
  }

  @Test("an app that ends itself for an invalid receipt ends with status 173")
  func invalidReceipt() async throws {
    let result = await #expect(processExitsWith: .exitCode(173), observing: [\.standardErrorContent]) {
      SKTerminateForInvalidReceipt()
    }
    #expect(try said(result).contains("its receipt is not valid"))
  }

  private func said(_ result: ExitTest.Result?) throws -> String {
    String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
  }
}

private final class QueueOfAClient: SKPaymentQueue, @unchecked Sendable {}
private final class ControllerOfAClient: SKProductStorePromotionController {}
