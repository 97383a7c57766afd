import StoreKit
import StoreModel

/// The observer of the payment queue of an ``InAppPurchaseManager`` of StoreKit 1. The manager makes it, and attaches
/// it to the queue.
///
/// It passes everything to the manager, which posts notifications. Their ``InAppPurchaseManager/transactionKey`` has a
/// ``StoreTransaction``, whose ``StoreTransaction/skTransaction`` is the transaction that the queue has reported. An
/// observer that an app makes itself does nothing.
public final class CustomPaymentObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  private struct Owner: Sendable { weak var edge: StoreKit1Edge? }

  // Not retained, because the edge retains the observer.
  private let owner = LockedValue(Owner())

  var edge: StoreKit1Edge? {
    get { owner.withLock { $0.edge } }
    set { owner.withLock { $0.edge = newValue } }
  }

  public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions { edge?.updated(transaction) }
  }

  public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions { edge?.removed(transaction) }
  }

  public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
    edge?.send(.restoreEnded(nil))
  }

  public func paymentQueue(
    _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
  ) {
    edge?.send(.restoreEnded(error))
  }

  public func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    edge?.send(.revoked(productIdentifiers))
  }

  public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) { edge?.send(.storefrontChanged) }

  /// Whether a purchase that the customer began in the App Store continues at once. It does if the manager is started, the
  /// device may buy, and the product can be delivered. Otherwise it waits in ``InAppPurchaseManager/pendingStorePayments``.
  public func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool {
    edge?.shouldAdd(payment) ?? false
  }
}
