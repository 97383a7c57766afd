import StoreKit

final class MockProduct: SKProduct, @unchecked Sendable {
  private let identifier: String

  init(_ identifier: String) {
    self.identifier = identifier
    super.init()
  }

  override var productIdentifier: String { identifier }
}

final class MockTransaction: SKPaymentTransaction, @unchecked Sendable {
  private let mockPayment: SKPayment
  private let mockState: SKPaymentTransactionState
  private let mockError: (any Error)?

  init(_ product: String, _ state: SKPaymentTransactionState, error: (any Error)? = nil) {
    mockPayment = SKPayment(product: MockProduct(product))
    mockState = state
    mockError = error
    super.init()
  }

  override var payment: SKPayment { mockPayment }
  override var transactionState: SKPaymentTransactionState { mockState }
  override var error: (any Error)? { mockError }
  override var debugDescription: String { "\(mockPayment.productIdentifier) \(mockState.debugDescription)" }
}

final class MockStorefront: SKStorefront, @unchecked Sendable {
  private let country: String

  init(_ country: String) {
    self.country = country
    super.init()
  }

  override var countryCode: String { country }
}

final class MockQueue: SKPaymentQueue, @unchecked Sendable {
  private let lock = NSLock()
  private var added: [String] = []
  private var finished: [String] = []

  override init() { super.init() }

  var products: [String] { lock.withLock { added } }
  var finishedProducts: [String] { lock.withLock { finished } }

  override func add(_ payment: SKPayment) { lock.withLock { added.append(payment.productIdentifier) } }
  override func finishTransaction(_ transaction: SKPaymentTransaction) {
    lock.withLock { finished.append(transaction.payment.productIdentifier) }
  }
}

final class MockProductsRequest: SKProductsRequest {
  override func start() {
    delegate?.request?(self, didFailWithError: URLError(.notConnectedToInternet))
    delegate?.requestDidFinish?(self)
  }
}
