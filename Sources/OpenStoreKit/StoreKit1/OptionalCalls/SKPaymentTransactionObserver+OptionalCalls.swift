import Foundation

// On Apple's platforms an optional method is called as `observer.paymentQueue?(queue, removedTransactions: gone)`. Such a line
// would not compile over a method that is always there, so each optional method also exists as an optional value that can
// be called. It is never nil: what a class does not implement has a default.

extension SKPaymentTransactionObserver {
  /// The optional methods of that name, for calls with `?` and `!`.
  @_disfavoredOverload public var paymentQueue: SKPaymentQueue.OptionalObserverMethods? {
    SKPaymentQueue.OptionalObserverMethods(observer: self)
  }

  @_disfavoredOverload public var paymentQueueRestoreCompletedTransactionsFinished: ((SKPaymentQueue) -> Void)? {
    { self.paymentQueueRestoreCompletedTransactionsFinished($0) }
  }

  @_disfavoredOverload public var paymentQueueDidChangeStorefront: ((SKPaymentQueue) -> Void)? {
    { self.paymentQueueDidChangeStorefront($0) }
  }
}

extension SKPaymentQueue {
  /// What stands behind `observer.paymentQueue?(…)`; not part of Apple's interface.
  public struct OptionalObserverMethods {
    let observer: any SKPaymentTransactionObserver

    public func callAsFunction(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
      observer.paymentQueue(queue, removedTransactions: transactions)
    }

    public func callAsFunction(
      _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
    ) {
      observer.paymentQueue(queue, restoreCompletedTransactionsFailedWithError: error)
    }

    public func callAsFunction(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
      observer.paymentQueue(queue, updatedDownloads: downloads)
    }

    public func callAsFunction(
      _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool {
      observer.paymentQueue(queue, shouldAddStorePayment: payment, for: product)
    }

    public func callAsFunction(
      _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
      observer.paymentQueue(queue, didRevokeEntitlementsForProductIdentifiers: productIdentifiers)
    }
  }
}
