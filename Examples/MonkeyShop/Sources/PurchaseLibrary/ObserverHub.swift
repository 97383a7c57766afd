import StoreKit

/// An observer of the queue that forwards each callback to many observers, if they implement it.
public final class ObserverHub: NSObject, SKPaymentTransactionObserver, SKPaymentQueueDelegate {
  public var observers: [SKPaymentTransactionObserver] = []
  public weak var delegate: SKPaymentQueueDelegate?

  public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    observers.forEach { $0.paymentQueue(queue, updatedTransactions: transactions) }
  }

  public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    observers.forEach { $0.paymentQueue?(queue, removedTransactions: transactions) }
  }

  public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: Error) {
    observers.forEach { $0.paymentQueue?(queue, restoreCompletedTransactionsFailedWithError: error) }
  }

  public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
    observers.forEach { $0.paymentQueueRestoreCompletedTransactionsFinished?(queue) }
  }

  public func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
    for observer in observers { observer.paymentQueue?(queue, updatedDownloads: downloads) }
  }

  public func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool {
    observers.contains { $0.paymentQueue?(queue, shouldAddStorePayment: payment, for: product) ?? false }
  }

  public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
    observers.forEach { $0.paymentQueueDidChangeStorefront?(queue) }
  }

  public func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    observers.forEach {
      $0.paymentQueue?(queue, didRevokeEntitlementsForProductIdentifiers: productIdentifiers)
    }
  }

  public func paymentQueue(
    _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction, in newStorefront: SKStorefront
  ) -> Bool {
    delegate?.paymentQueue?(paymentQueue, shouldContinue: transaction, in: newStorefront) ?? true
  }

  public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool {
    delegate?.paymentQueueShouldShowPriceConsent?(paymentQueue) ?? true
  }
}
