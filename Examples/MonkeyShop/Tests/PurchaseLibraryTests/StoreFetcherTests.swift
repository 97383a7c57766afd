import PurchaseLibrary
import StoreKit
import XCTest

final class StoreFetcherTests: XCTestCase {
  func testCallersShareARequest() {
    var requests: [MockProductsRequest] = []
    let fetcher = StoreFetcher(products: {
      requests.append(MockProductsRequest(productIdentifiers: $0))
      return requests[requests.count - 1]
    })
    let answered = expectation(description: "answered")
    answered.expectedFulfillmentCount = 2
    for _ in 0..<2 {
      fetcher.products(["b", "a"]) { result in
        let response = try? result.get()
        XCTAssertEqual(response?.products.map(\.productIdentifier), ["a", "b"])
        XCTAssertEqual(response?.invalidProductIdentifiers, ["none"])
        answered.fulfill()
      }
    }
    XCTAssertEqual(fetcher.underWay, 1)
    wait(for: [answered], timeout: 10)
    XCTAssertEqual(requests.map(\.startCalled), [true])
    XCTAssertEqual(fetcher.underWay, 0)
    requests.first?.cancel()
    XCTAssertEqual(requests.first?.cancelCalled, true)
  }

  func testARequestsFailureIsToldAsItIs() {
    let fetcher = StoreFetcher(products: {
      let request = MockProductsRequest(productIdentifiers: $0)
      request.failure = URLError(.notConnectedToInternet)
      return request
    })
    let answered = expectation(description: "answered")
    fetcher.products(["a"]) { result in
      if case .failure(let error) = result { XCTAssertEqual(PurchaseError(error), .network) }
      answered.fulfill()
    }
    wait(for: [answered], timeout: 10)
  }

  func testAReceiptIsRefreshedOnceForAll() {
    var made = 0
    var failure: Error?
    let fetcher = StoreFetcher(receipt: {
      made += 1
      return MockReceiptRequest(failure: failure)
    })
    for error in [nil, SKError(.paymentCancelled)] {
      failure = error
      let answered = expectation(description: "answered")
      answered.expectedFulfillmentCount = 3
      for _ in 0..<3 {
        fetcher.refreshReceipt { answer in
          XCTAssertEqual((answer as? SKError)?.code, error?.code)
          answered.fulfill()
        }
      }
      wait(for: [answered], timeout: 10)
    }
    XCTAssertEqual(made, 2)
    let properties: [String: Any] = [SKReceiptPropertyIsVolumePurchase: true]
    XCTAssertEqual(MockReceiptRequest(receiptProperties: properties).receiptProperties?.count, 1)
    XCTAssertNil(MockReceiptRequest(receiptProperties: nil).receiptProperties)
  }
}
