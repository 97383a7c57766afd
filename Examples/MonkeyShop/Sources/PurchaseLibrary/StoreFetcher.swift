import StoreKit

/// Fetches products and receipts. Concurrent calls for the same products share a request.
public final class StoreFetcher: NSObject {
  public typealias ProductsHandler = (Result<SKProductsResponse, Error>) -> Void

  private let makeProductsRequest: (Set<String>) -> SKProductsRequest
  private let makeReceiptRequest: () -> SKReceiptRefreshRequest
  private var productHandlers: [SKRequest: [ProductsHandler]] = [:]
  private var requests: [Set<String>: SKProductsRequest] = [:]
  private var receiptRequest: SKReceiptRefreshRequest?
  private var receiptHandlers: [(Error?) -> Void] = []

  public init(
    products: @escaping (Set<String>) -> SKProductsRequest = { SKProductsRequest(productIdentifiers: $0) },
    receipt: @escaping () -> SKReceiptRefreshRequest = { SKReceiptRefreshRequest(receiptProperties: nil) }
  ) {
    makeProductsRequest = products
    makeReceiptRequest = receipt
  }

  public func products(_ identifiers: Set<String>, completion: @escaping ProductsHandler) {
    let request = requests[identifiers] ?? makeProductsRequest(identifiers)
    requests[identifiers] = request
    productHandlers[request, default: []].append(completion)
    request.delegate = self
    request.start()
  }

  public func refreshReceipt(completion: @escaping (Error?) -> Void) {
    receiptHandlers.append(completion)
    guard receiptRequest == nil else { return }
    let request = makeReceiptRequest()
    receiptRequest = request
    request.delegate = self
    request.start()
  }

  public var underWay: Int { requests.count }

  private func end(_ request: SKProductsRequest, _ result: Result<SKProductsResponse, Error>) {
    requests = requests.filter { $0.value !== request }
    productHandlers.removeValue(forKey: request)?.forEach { $0(result) }
  }
}

extension StoreFetcher: SKProductsRequestDelegate {
  public func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
    end(request, .success(response))
  }

  public func requestDidFinish(_ request: SKRequest) {
    if request is SKReceiptRefreshRequest { endReceipt(nil) }
  }

  public func request(_ request: SKRequest, didFailWithError error: Error) {
    if let request = request as? SKProductsRequest {
      end(request, .failure(error))
    } else {
      endReceipt(error)
    }
  }

  private func endReceipt(_ error: Error?) {
    let handlers = receiptHandlers
    (receiptHandlers, receiptRequest) = ([], nil)
    handlers.forEach { $0(error) }
  }
}
