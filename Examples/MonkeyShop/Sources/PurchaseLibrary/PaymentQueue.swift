import StoreKit

/// The part of the queue that the library uses. Tests replace it with a mock.
public protocol PaymentQueue: AnyObject {
  var delegate: SKPaymentQueueDelegate? { get set }
  var storefront: SKStorefront? { get }
  var transactions: [SKPaymentTransaction] { get }

  func add(_ observer: SKPaymentTransactionObserver)
  func remove(_ observer: SKPaymentTransactionObserver)
  func add(_ payment: SKPayment)
  func start(_ downloads: [SKDownload])
  func pause(_ downloads: [SKDownload])
  func resume(_ downloads: [SKDownload])
  func cancel(_ downloads: [SKDownload])
  func restoreCompletedTransactions(withApplicationUsername username: String?)
  func finishTransaction(_ transaction: SKPaymentTransaction)
}

extension SKPaymentQueue: PaymentQueue {}

extension PaymentQueue where Self: SKPaymentQueue {
  public var canMakePayments: Bool { Self.canMakePayments() }
}

/// The part of a request that the library uses. Tests replace it with a mock.
public protocol Request: AnyObject {
  func start()
  func cancel()
}

public protocol ProductsRequest: Request {
  var delegate: SKProductsRequestDelegate? { get set }
}

public protocol ReceiptRequest: Request {
  var delegate: SKRequestDelegate? { get set }
}

extension SKRequest: Request {}
extension SKProductsRequest: ProductsRequest {}
extension SKReceiptRefreshRequest: ReceiptRequest {}
