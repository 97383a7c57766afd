import StoreKit

/// Listens to the payment queue on behalf of an ``InAppPurchaseManager``.
public final class CustomPaymentObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
  // The manager owns the observer and attaches it once it is complete.
  private weak var manager: InAppPurchaseManager?

  init(manager: InAppPurchaseManager) {
    self.manager = manager
    super.init()
  }

  public func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      switch transaction.transactionState {
      case .purchasing: manager?.began(transaction)
      case .purchased: manager?.complete(transaction)
      case .failed: manager?.fail(transaction)
      // Nothing to give yet: restored purchases and approvals by others come with a later version of this manager.
      case .restored, .deferred: break
      @unknown default: break
      }
    }
  }
}
