import PurchaseLibrary
import StoreKit
import XCTest

/// Tests that optional methods are called as on Apple's platforms, and that Apple's default applies if one is missing.
final class OptionalMethodTests: XCTestCase {
  private let hub = ObserverHub()
  private let plugin = StorePlugin(queue: SKPaymentQueue())
  private let queue = SKPaymentQueue()

  func testEverythingReachesAnObserverThatImplementsEverything() {
    hub.observers = [BareObserver(), plugin]
    hub.paymentQueue(queue, updatedTransactions: [MockTransaction()])
    hub.paymentQueue(queue, removedTransactions: [MockTransaction()])
    hub.paymentQueue(queue, restoreCompletedTransactionsFailedWithError: SKError(.paymentCancelled))
    hub.paymentQueueRestoreCompletedTransactionsFinished(queue)
    hub.paymentQueue(queue, updatedDownloads: [MockDownload()])
    XCTAssertFalse(hub.paymentQueue(queue, shouldAddStorePayment: MockPayment(), for: MockProduct("a")))
    hub.paymentQueueDidChangeStorefront(queue)
    hub.paymentQueue(queue, didRevokeEntitlementsForProductIdentifiers: ["a"])
    XCTAssertEqual(
      plugin.events.compactMap { $0["name"] as? String },
      [
        "updated", "removed", "restoreFailed", "restoreFinished", "downloads", "storePayment", "storefront", "revoked",
      ])
    XCTAssertEqual((plugin.events[2]["content"] as? [String: Any])?["code"] as? Int, 2)
    XCTAssertEqual(plugin.events[7]["content"] as? [String], ["a"])
  }

  func testWhatIsNotImplementedHasApplesDefault() {
    let bare: SKPaymentTransactionObserver = BareObserver()
    XCTAssertEqual(bare.paymentQueue?(queue, shouldAddStorePayment: MockPayment(), for: MockProduct("a")), false)
    XCTAssertFalse(bare.paymentQueue!(queue, shouldAddStorePayment: MockPayment(), for: MockProduct("a")))
    bare.paymentQueueDidChangeStorefront!(queue)
    let delegate: SKPaymentQueueDelegate? = BareObserver()
    XCTAssertEqual(delegate?.paymentQueue?(queue, shouldContinue: MockTransaction(), in: MockStorefront()), true)
    XCTAssertEqual(delegate?.paymentQueueShouldShowPriceConsent?(queue), true)
    let request: SKRequestDelegate = BareObserver()
    request.requestDidFinish?(SKRequest())
    request.request?(SKRequest(), didFailWithError: SKError(.unknown))
  }

  func testADelegateThatAnswersIsAsked() {
    hub.delegate = plugin
    XCTAssertFalse(hub.paymentQueue(queue, shouldContinue: MockTransaction(), in: MockStorefront()))
    XCTAssertFalse(hub.paymentQueueShouldShowPriceConsent(queue))
    XCTAssertEqual(
      plugin.events.first?["content"] as? [String: String], ["country": "GBR", "identifier": "143444"])
  }

  func testAPluginDescribesEverything() {
    let transaction = MockTransaction()
    transaction.mockState = .purchased
    transaction.mockPayment = MockPayment()
    transaction.mockDownloads = [MockDownload()]
    transaction.mockError = NSError(domain: "SSServerErrorDomain", code: 5002)
    let description = StorePlugin.dictionary(of: transaction)
    XCTAssertEqual(description["state"] as? Int, 1)
    XCTAssertEqual(description["identifier"] as? String, "1000")
    XCTAssertEqual((description["error"] as? [String: Any])?["domain"] as? String, "SSServerErrorDomain")
    let payment = description["payment"] as? [String: Any]
    XCTAssertEqual((payment?["discount"] as? [String: Any])?["signature"] as? String, "signature")
    XCTAssertEqual((description["downloads"] as? [[String: Any]])?.first?["progress"] as? Float, 0.5)
  }

  private final class BareObserver: NSObject, SKPaymentTransactionObserver, SKPaymentQueueDelegate, SKRequestDelegate {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
  }
}
