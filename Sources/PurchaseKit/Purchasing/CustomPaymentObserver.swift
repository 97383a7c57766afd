import StoreKit
import StoreModel

/// Receives the payment queue's callbacks for an ``InAppPurchaseManager``.
public final class CustomPaymentObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  private struct Owner: Sendable { weak var manager: InAppPurchaseManager? }

  // Not retained, because the manager retains the observer.
  private let owner = LockedValue(Owner())

  var manager: InAppPurchaseManager? {
    get { owner.withLock { $0.manager } }
    set { owner.withLock { $0.manager = newValue } }
  }

  public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      switch transaction.transactionState {
      case .purchasing: manager?.began(transaction)
      case .purchased: manager?.fulfil(transaction)
      case .failed: manager?.fail(transaction)
      case .deferred: manager?.awaitApproval(transaction)
      case .restored: manager?.restored(transaction)
      // This is a state of a later StoreKit. The transaction stays in the queue for a version of the app that handles
      // the state.
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

  /// Whether a purchase that the customer began in the App Store continues at once. It does if the manager is started, the
  /// device may buy, and the product can be delivered. Otherwise it waits in ``InAppPurchaseManager/pendingStorePayments``.
  public func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool {
    manager?.shouldAdd(payment) ?? false
  }
}
