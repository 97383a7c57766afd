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
