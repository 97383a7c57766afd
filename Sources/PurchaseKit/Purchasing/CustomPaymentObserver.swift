import StoreKit

/// Listens to the payment queue on behalf of an ``InAppPurchaseManager``.
public final class CustomPaymentObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
  // The manager owns the observer. Set once, before the observer is attached.
  weak var manager: InAppPurchaseManager?

  public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      switch transaction.transactionState {
      case .purchasing: manager?.began(transaction)
      case .purchased: manager?.complete(transaction)
      case .failed: manager?.fail(transaction)
      case .deferred: manager?.awaitApproval(transaction)
      case .restored: manager?.restored(transaction)
      // A state of a later StoreKit: left in the queue for a version that knows it.
      @unknown default: break
      }
    }
  }

  public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions { manager?.removed(transaction) }
  }

  public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { manager?.restoreEnded(nil) }

  public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
    manager?.restoreEnded(error)
  }

  public func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    manager?.revoked(productIdentifiers)
  }

  public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) { manager?.storefrontChanged() }

  /// Whether a purchase that was begun in the App Store goes on at once: if the manager is started, the device may buy, and
  /// somebody gives the product. Otherwise it waits in ``InAppPurchaseManager/pendingStorePayments``.
  public func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool {
    manager?.shouldAdd(payment) ?? false
  }
}
