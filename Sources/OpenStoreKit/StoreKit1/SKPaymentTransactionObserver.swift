import Foundation

/// Receives the changes of the transactions in the queue, on the main queue. Implements Apple's
/// `SKPaymentTransactionObserver`.
///
/// Methods that are optional on Apple's platforms have default implementations here. Implement them in the class that
/// declares the conformance. If only a subclass implements a method, it is not called, because Swift has no optional
/// methods without Objective-C.
public protocol SKPaymentTransactionObserver: NSObjectProtocol {
  /// Transactions were added or have changed. Finish each transaction that is purchased, failed or restored after
  /// processing it.
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])

  /// Transactions were removed from the queue, because they were finished.
  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])

  /// The restore failed. Some transactions may have been restored before.
  func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)

  /// The restore has finished, and all restored transactions were delivered.
  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)

  /// Downloads have failed or were cancelled.
  func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload])

  /// The customer began to buy `product` in the App Store (a promoted purchase). Return true to continue now. Return
  /// false (the default) to defer or cancel the purchase; to continue later, add `payment` to the queue.
  func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool

  /// The storefront has changed. Request products and prices again.
  func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)

  /// The customer no longer owns these products. The app receipt is already updated.
  func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String])
}

extension SKPaymentTransactionObserver {
  public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {}

  public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {}

  public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}

  public func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {}

  public func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool { false }

  public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}

  public func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {}
}

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
