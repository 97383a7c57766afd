import PurchaseLibrary
import StoreKit
import XCTest

// Tests that the library uses the mocks' overrides. The mocks must also compile.
final class MockTests: XCTestCase {
  func testAProductIsWhatItsSubclassSays() {
    let product = MockProduct("fruit")
    product.mockPeriod = MockPeriod(2, .month)
    product.mockDiscount = MockDiscount()
    let seen: SKProduct = product
    XCTAssertEqual(seen.localizedPrice, "£2.99")
    XCTAssertEqual(seen.localizedSubscriptionPeriod, "2 month")
    XCTAssertEqual(seen.introductoryPrice?.paymentMode.description, "pay up front")
    XCTAssertEqual(seen.discounts.first?.subscriptionPeriod.unit, .week)
    XCTAssertEqual(seen.discounts.first?.type, .subscription)
    XCTAssertEqual(seen.discounts.map(\.numberOfPeriods), [3])
    XCTAssertTrue(seen.isDownloadable)
    XCTAssertEqual(seen.contentLengths, [7])
    XCTAssertEqual(SKPayment(product: seen).productIdentifier, "fruit")
    XCTAssertEqual(SKProduct().subscriptionPeriod, nil)
  }

  func testAPaymentCopiesWhatItsSubclassSays() throws {
    let payment = MockPayment()
    payment.mockIdentifier = "fruit"
    let copy = try XCTUnwrap(payment.mutableCopy() as? SKMutablePayment)
    XCTAssertEqual(copy.productIdentifier, "fruit")
    XCTAssertEqual(copy.quantity, 3)
    XCTAssertEqual(copy.applicationUsername, "somebody")
    XCTAssertEqual(copy.paymentDiscount?.identifier, "winter")
    copy.requestData = Data([1])
    XCTAssertEqual((copy.copy() as? SKPayment)?.requestData, Data([1]))
    XCTAssertNil(payment.requestData)
  }

  func testATransactionIsWhatItsSubclassSays() {
    let transaction = MockTransaction()
    transaction.mockPayment = SKPayment(product: MockProduct("fruit"))
    transaction.mockState = .purchased
    transaction.mockOriginal = MockTransaction()
    let seen: SKPaymentTransaction = transaction
    XCTAssertEqual(String(reflecting: seen), "fruit, purchased")
    XCTAssertEqual(seen.transactionReceipt, Data("receipt".utf8))
    XCTAssertEqual(seen.original?.transactionState, .purchasing)
    XCTAssertEqual(seen.transactionDate, Date(timeIntervalSince1970: 1))
  }

  func testObjectsAreKeysBySameness() {
    let (first, second) = (MockProduct("fruit"), MockProduct("fruit"))
    XCTAssertEqual(Set<SKProduct>([first, second, first]).count, 2)
    var transactions: [SKPaymentTransaction: String] = [:]
    let transaction = MockTransaction()
    transactions[transaction] = "a"
    transactions[transaction] = "b"
    transactions[SKPaymentTransaction()] = "c"
    XCTAssertEqual(transactions.count, 2)
    XCTAssertEqual(transactions[transaction], "b")
    XCTAssertNotEqual(first, second)
    XCTAssertTrue([SKPayment()].contains(where: { $0 == $0 }))
  }

  func testStatesHaveWordsOfTheLibrarysOwn() {
    let states: [SKPaymentTransactionState] = [.purchasing, .purchased, .failed, .restored, .deferred]
    XCTAssertEqual(states.map(\.debugDescription), ["purchasing", "purchased", "failed", "restored", "deferred"])
    XCTAssertEqual(states.map(\.rawValue), [0, 1, 2, 3, 4])
    let downloads: [SKDownloadState] = [.waiting, .active, .paused, .finished, .failed, .cancelled]
    XCTAssertEqual(
      downloads.map(String.init(describing:)), ["waiting", "active", "paused", "finished", "failed", "cancelled"])
    XCTAssertEqual(downloads.map(\.rawValue), [0, 1, 2, 3, 4, 5])
    XCTAssertNil(SKDownloadState(rawValue: 6))
    XCTAssertEqual([.default, .show, .hide].map(\SKProductStorePromotionVisibility.rawValue), [0, 1, 2])
    XCTAssertEqual("\(SKProduct.PeriodUnit.year)", "year")
    XCTAssertEqual((0...4).compactMap { SKProduct.PeriodUnit(rawValue: $0) }.count, 4)
    let type: SKProductDiscount.`Type` = .introductory
    XCTAssertEqual(type.rawValue, 0)
  }

  func testAQueueIsWhatItsSubclassSays() {
    let queue = MockQueue()
    let hub = ObserverHub()
    queue.delegate = hub
    XCTAssertTrue((queue as SKPaymentQueue).delegate === hub)
    XCTAssertEqual((queue as SKPaymentQueue).storefront?.countryCode, "GBR")
    XCTAssertFalse(type(of: queue as SKPaymentQueue).canMakePayments())
    XCTAssertFalse(queue.canMakePayments)
    queue.restoreCompletedTransactions()
    queue.restoreCompletedTransactions(withApplicationUsername: "somebody")
    XCTAssertEqual(queue.restores, [nil, "somebody"])
    let own: OwnQueue = .default()
    XCTAssertEqual(own.name, "shared")
    XCTAssertTrue(OwnQueue.default() === own)
  }

  func testAQueueNeedNotKeepItsDelegate() {
    let queue = SKPaymentQueue()
    do {
      let hub = ObserverHub()
      queue.delegate = hub
      XCTAssertNotNil(queue.delegate)
    }
    XCTAssertNil(queue.delegate)
  }

  func testARequestsDelegateIsSeenAsNarrowlyAsApplesIs() {
    let request = ObservedProductsRequest()
    let fetcher = StoreFetcher()
    request.delegate = fetcher
    XCTAssertTrue(request.delegate === fetcher)
    XCTAssertTrue((request as SKRequest).delegate === fetcher)
    XCTAssertEqual(request.changes, 1)
    let delegate: SKProductsRequestDelegate? = request.delegate
    XCTAssertNotNil(delegate)
    let seen: ProductsRequest = request
    seen.delegate = nil
    XCTAssertNil((request as SKRequest).delegate)
    XCTAssertEqual(request.changes, 2)

    let plain = SKProductsRequest()
    let listener = Listener()
    (plain as SKRequest).delegate = listener
    XCTAssertNil(plain.delegate as SKProductsRequestDelegate?)
    XCTAssertTrue((plain as SKRequest).delegate === listener)
  }

  func testAPromotionControllerCanBeReplaced() async throws {
    let controller = MockPromotionController()
    var error: Error? = SKError(.unknown)
    controller.update(storePromotionOrder: [MockProduct("fruit")]) { error = $0 }
    XCTAssertNil(error)
    let order = try await (controller as SKProductStorePromotionController).promotionOrder()
    XCTAssertEqual(order.map(\.productIdentifier), ["fruit"])
  }

  func testWhatIsNotHereDoesNothing() {
    SKStoreReviewController.requestReview()
    let queue = SKPaymentQueue()
    queue.showPriceConsentIfNeeded()
    queue.presentCodeRedemptionSheet()
    queue.pause([MockDownload()])
    XCTAssertTrue(queue.transactions.isEmpty)
  }

  private final class Listener: NSObject, SKRequestDelegate {}
}
