import StoreKit
import XCTest

// Uses StoreKit's types as apps and their tests do. Apple's documentation allows all of these uses. The file is itself
// a test: it must compile in Swift 5 mode, outside the package OpenStoreKit.

private final class MockProduct: SKProduct, @unchecked Sendable {
  override var productIdentifier: String { "mock" }
  override var price: NSDecimalNumber { 4.99 }
  override var priceLocale: Locale { Locale(identifier: "de_DE@currency=EUR") }
}

private final class MockTransaction: SKPaymentTransaction, @unchecked Sendable {
  let mockPayment: SKPayment
  init(_ payment: SKPayment) {
    mockPayment = payment
    super.init()
  }
  override var payment: SKPayment { mockPayment }
  override var transactionState: SKPaymentTransactionState { .failed }
  override var error: Error? { SKError(.paymentCancelled) }
  override var debugDescription: String { "mock transaction" }
}

private protocol Queue {
  func add(_ payment: SKPayment)
  func finishTransaction(_ transaction: SKPaymentTransaction)
}

extension SKPaymentQueue: Queue {}

private final class MockQueue: SKPaymentQueue, @unchecked Sendable {
  private(set) var added: [SKPayment] = []
  private(set) var finished: [SKPaymentTransaction] = []
  override func add(_ payment: SKPayment) { added.append(payment) }
  override func finishTransaction(_ transaction: SKPaymentTransaction) { finished.append(transaction) }
}

private final class MockRequest: SKProductsRequest {
  override func start() { delegate?.request(self, didFailWithError: URLError(.notConnectedToInternet)) }
}

private final class Listener: NSObject, SKProductsRequestDelegate {
  var error: Error?
  func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {}
  func request(_ request: SKRequest, didFailWithError error: Error) { self.error = error }
}

final class CompatibilityTests: XCTestCase {
  func testMocksOverrideWhatTheyLike() {
    let product = MockProduct()
    let payment = SKMutablePayment(product: product)
    payment.quantity = 2
    XCTAssertEqual(payment.productIdentifier, "mock")
    let copy = payment.copy() as? SKPayment
    payment.quantity = 5
    XCTAssertEqual(copy?.quantity, 2)
    XCTAssertFalse(copy is SKMutablePayment)
    XCTAssertEqual((copy?.mutableCopy() as? SKMutablePayment)?.quantity, 2)

    let queue = MockQueue()
    let abstract: Queue = queue
    abstract.add(payment)
    let transaction = MockTransaction(payment)
    abstract.finishTransaction(transaction)
    XCTAssertEqual(queue.added, [payment])
    XCTAssertEqual(queue.finished, [transaction])
    XCTAssertEqual(String(reflecting: transaction), "mock transaction")
  }

  func testARequestCanBeReplaced() {
    let listener = Listener()
    let request = MockRequest(productIdentifiers: ["a"])
    request.delegate = listener
    request.start()
    XCTAssertEqual((listener.error as? URLError)?.code, .notConnectedToInternet)
  }

  func testErrorsAreToldApartAsOnApplesPlatforms() {
    let error: Error = SKError(.paymentCancelled, userInfo: [NSLocalizedDescriptionKey: "No, thank you"])
    XCTAssertEqual((error as? SKError)?.code, .paymentCancelled)
    XCTAssertEqual((error as NSError).domain, SKErrorDomain)
    XCTAssertEqual((error as NSError).code, SKError.paymentCancelled.rawValue)
    XCTAssertEqual(error.localizedDescription, "No, thank you")

    let bridged: Error = NSError(domain: "SKErrorDomain", code: 4, userInfo: nil)
    XCTAssertEqual((bridged as? SKError)?.code, .paymentNotAllowed)
    XCTAssertNil(NSError(domain: "OtherDomain", code: 4, userInfo: nil) as? SKError)
    XCTAssertEqual((NSError(domain: SKErrorDomain, code: 907, userInfo: nil) as? SKError)?.code, .unknown)
    XCTAssertEqual(Set([SKError(.unknown), SKError(.unknown), SKError(.clientInvalid)]).count, 2)

    do {
      throw bridged
    } catch SKError.paymentNotAllowed {
      // Expected.
    } catch {
      XCTFail("\(error) was not caught as SKError.paymentNotAllowed")
    }

    switch error {
    case SKError.paymentCancelled: break
    default: XCTFail("\(error) did not match")
    }
  }

  func testStatesAndUnitsHaveApplesNumbers() {
    XCTAssertEqual(SKPaymentTransactionState.deferred.rawValue, 4)
    XCTAssertEqual(SKProduct.PeriodUnit.year.rawValue, 3)
    XCTAssertEqual(SKProductDiscount.PaymentMode.freeTrial.rawValue, 2)
    XCTAssertEqual(SKError.Code.overlayPresentedInBackgroundScene.rawValue, 20)
  }
}
