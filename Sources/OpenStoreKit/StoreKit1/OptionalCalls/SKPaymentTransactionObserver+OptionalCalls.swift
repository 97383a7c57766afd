import Foundation

// On Apple's platforms, apps call an optional method as `observer.paymentQueue?(queue, removedTransactions: gone)`.
// This would not compile for a method that is not optional, so each optional method also exists as an optional value
// that can be called. The value is never nil: all methods have default implementations.

extension SKPaymentTransactionObserver {
  /// The optional methods `paymentQueue(…)` as an optional value, for calls with `?` and `!`.
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
  /// The methods for `observer.paymentQueue?(…)`. Not part of Apple's API.
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
