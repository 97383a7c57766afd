import StoreKit

/// A purchase controller with a closure for each kind of event. It works with any ``PaymentQueue``.
public final class PurchaseController: NSObject {
  public typealias Completion = (Result<SKPaymentTransaction, PurchaseError>) -> Void

  public var onUnexpectedTransaction: (SKPaymentTransaction) -> Bool = { _ in false }
  public var onDownloads: ([SKDownload]) -> Void = { _ in }
  public var onStorePayment: ((SKPayment, SKProduct) -> Bool)?
  public var onRevocation: (([String]) -> Void)?

  // In many apps, this property has the same name as the observer's methods, `paymentQueue(…)`. Building this file
  // tests that both can be in one class.
  private unowned let paymentQueue: PaymentQueue
  private var waiting: [String: [Completion]] = [:]
  private var restored: [SKPaymentTransaction] = []
  private var restoreCompletion: ((Result<[SKPaymentTransaction], PurchaseError>) -> Void)?

  public init(paymentQueue: PaymentQueue = SKPaymentQueue.default()) {
    self.paymentQueue = paymentQueue
    super.init()
    paymentQueue.add(self)
  }

  deinit { paymentQueue.remove(self) }

  public func purchase(
    _ product: SKProduct, quantity: Int = 1, username: String = "", discount: SKPaymentDiscount? = nil,
    completion: @escaping Completion
  ) {
    let payment = SKMutablePayment(product: product)
    payment.quantity = quantity
    payment.applicationUsername = username
    payment.simulatesAskToBuyInSandbox = false
    if let discount { payment.paymentDiscount = discount }
    waiting[payment.productIdentifier, default: []].append(completion)
    paymentQueue.add(payment)
  }

  public func restorePurchases(
    for username: String? = nil, completion: @escaping (Result<[SKPaymentTransaction], PurchaseError>) -> Void
  ) {
    restoreCompletion = completion
    paymentQueue.restoreCompletedTransactions(withApplicationUsername: username)
  }

  public var storefrontCountryCode: String? { paymentQueue.storefront?.countryCode }

  private func settle(_ transaction: SKPaymentTransaction) -> Bool {
    switch transaction.transactionState {
    case .purchased:
      guard let completion = next(for: transaction) else { return onUnexpectedTransaction(transaction) }
      completion(.success(transaction))
      return true
    case .failed:
      let error = PurchaseError(transaction.error ?? SKError(.unknown))
      next(for: transaction)?(.failure(error))
      return true
    case .restored:
      restored.append(transaction.original ?? transaction)
      return true
    case .purchasing, .deferred:
      return false
    @unknown default:
      return false
    }
  }

  private func next(for transaction: SKPaymentTransaction) -> Completion? {
    let identifier = transaction.payment.productIdentifier
    guard waiting[identifier]?.isEmpty == false else { return nil }
    return waiting[identifier]?.removeFirst()
  }
}

extension PurchaseController: SKPaymentTransactionObserver {
  public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions where settle(transaction) {
      if transaction.downloads.isEmpty {
        paymentQueue.finishTransaction(transaction)
      } else {
        paymentQueue.start(transaction.downloads)
      }
    }
  }

  public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {}

  public func paymentQueue(
    _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: Error
  ) {
    restoreCompletion?(.failure(PurchaseError(error)))
    restoreCompletion = nil
  }

  public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
    restoreCompletion?(.success(restored))
    (restored, restoreCompletion) = ([], nil)
  }

  public func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
    onDownloads(downloads)
  }

  #if os(iOS) || os(Linux)
    public func paymentQueue(
      _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool {
      onStorePayment?(payment, product) ?? false
    }
  #endif

  @available(iOS 14.0, macOS 11.0, tvOS 14.0, watchOS 7.0, *)
  public func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    onRevocation?(productIdentifiers)
  }
}
