import StoreKit
import StoreModel

/// Receives the payment queue's callbacks for an ``InAppPurchaseManager`` of StoreKit 1.
package final class CustomPaymentObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  private struct Owner: Sendable { weak var edge: StoreKit1Edge? }

  // Not retained, because the edge retains the observer.
  private let owner = LockedValue(Owner())

  var edge: StoreKit1Edge? {
    get { owner.withLock { $0.edge } }
    set { owner.withLock { $0.edge = newValue } }
  }

  package func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions { edge?.updated(transaction) }
  }

  package func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions { edge?.removed(transaction) }
  }

  package func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
    edge?.send(.restoreEnded(nil))
  }

  package func paymentQueue(
    _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
  ) {
    edge?.send(.restoreEnded(error))
  }

  package func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    edge?.send(.revoked(productIdentifiers))
  }

  package func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) { edge?.send(.storefrontChanged) }

  /// Whether a purchase that the customer began in the App Store continues at once. It does if the manager is started, the
  /// device may buy, and the product can be delivered. Otherwise it waits in ``InAppPurchaseManager/pendingStorePayments``.
  package func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool {
    edge?.shouldAdd(payment) ?? false
  }
}
