import PurchaseLibrary
import StoreKit
import XCTest

/// Tests the controller with a mock queue, without a store or device.
final class PurchaseControllerTests: XCTestCase {
  private let queue = MockQueue()
  private lazy var controller = PurchaseController(paymentQueue: queue)

  func testAPurchaseEndsInItsCompletionAndIsFinished() {
    var bought: SKPaymentTransaction?
    controller.purchase(MockProduct("fruit"), quantity: 2, username: "somebody", discount: MockPaymentDiscount()) {
      bought = try? $0.get()
    }
    XCTAssertEqual(queue.added.map(\.quantity), [2])
    XCTAssertEqual(queue.added.first?.paymentDiscount?.identifier, "winter")
    let transaction = self.transaction(.purchased)
    tell([self.transaction(.purchasing), transaction])
    XCTAssertTrue(bought === transaction)
    XCTAssertEqual(queue.finished, [transaction])
  }

  func testAFailedPurchaseIsFinishedToo() {
    var failure: PurchaseError?
    controller.purchase(MockProduct("fruit")) { if case .failure(let error) = $0 { failure = error } }
    let transaction = self.transaction(.failed)
    transaction.mockError = SKError(.paymentCancelled)
    tell([transaction])
    XCTAssertEqual(failure, .cancelled)
    XCTAssertEqual(queue.finished, [transaction])
  }

  func testWhatNobodyAskedForIsFinishedOnlyIfItIsTaken() {
    tell([transaction(.purchased)])
    XCTAssertTrue(queue.finished.isEmpty)
    controller.onUnexpectedTransaction = { _ in true }
    tell([transaction(.purchased), transaction(.deferred)])
    XCTAssertEqual(queue.finished.count, 1)
  }

  func testDownloadsAreStartedBeforeFinishing() {
    controller.onUnexpectedTransaction = { _ in true }
    let transaction = self.transaction(.purchased)
    transaction.mockDownloads = [MockDownload()]
    tell([transaction])
    XCTAssertTrue(queue.finished.isEmpty)
    XCTAssertEqual(queue.started.count, 1)
  }

  func testRestoringGivesOriginals() {
    var restored: [SKPaymentTransaction] = []
    controller.restorePurchases(for: "somebody") { restored = (try? $0.get()) ?? [] }
    XCTAssertEqual(queue.restores, ["somebody"])
    let transaction = self.transaction(.restored)
    let original = MockTransaction()
    transaction.mockOriginal = original
    tell([transaction])
    controller.paymentQueueRestoreCompletedTransactionsFinished(queue)
    XCTAssertEqual(restored, [original])

    var failure: PurchaseError?
    controller.restorePurchases { if case .failure(let error) = $0 { failure = error } }
    controller.paymentQueue(
      queue, restoreCompletedTransactionsFailedWithError: NSError(domain: NSURLErrorDomain, code: -1009))
    XCTAssertEqual(failure, .network)
  }

  func testAStorePaymentIsLeftUntilSomebodyWantsIt() {
    XCTAssertFalse(controller.paymentQueue(queue, shouldAddStorePayment: SKPayment(), for: MockProduct("fruit")))
    controller.onStorePayment = { $1.productIdentifier == "fruit" }
    XCTAssertTrue(controller.paymentQueue(queue, shouldAddStorePayment: SKPayment(), for: MockProduct("fruit")))
    XCTAssertEqual(controller.storefrontCountryCode, "GBR")
  }

  func testAQueueDoesNotKeepAController() {
    let queue = SKPaymentQueue()
    var second: PurchaseController? = PurchaseController(paymentQueue: queue)
    XCTAssertEqual(queue.transactionObservers.count, 1)
    XCTAssertNotNil(second)
    second = nil
    XCTAssertTrue(queue.transactionObservers.isEmpty)
  }

  private func transaction(_ state: SKPaymentTransactionState) -> MockTransaction {
    let transaction = MockTransaction()
    transaction.mockPayment = SKPayment(product: MockProduct("fruit"))
    transaction.mockState = state
    return transaction
  }

  private func tell(_ transactions: [SKPaymentTransaction]) {
    controller.paymentQueue(queue, updatedTransactions: transactions)
  }
}
