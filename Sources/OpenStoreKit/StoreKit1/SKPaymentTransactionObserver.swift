import Foundation

/// Told what becomes of the payments in the queue, on the main queue. Implements Apple's
/// `SKPaymentTransactionObserver`.
///
/// What is optional on Apple's platforms has a default here. A method must be in the class that declares the
/// conformance: one that only a subclass adds is not called, because Swift has no optional methods without
/// Objective-C.
public protocol SKPaymentTransactionObserver: NSObjectProtocol {
  /// Transactions are new or have changed. Finish each that is purchased, failed or restored, once it is dealt with.
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])

  /// Transactions have left the queue, having been finished.
  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])

  /// Restoring failed. Some transactions may have been restored before.
  func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)

  /// Everything that can be restored has been told of.
  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)

  /// Downloads have changed: here that is, they have failed or were cancelled.
  func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload])

  /// The customer began to buy `product` in the App Store. True to go on now; false, the default, to defer or cancel:
  /// add `payment` to the queue to go on later.
  func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool

  /// The storefront is another one now: products and prices are to be fetched again.
  func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)

  /// The customer no longer owns these products. The receipt says so already.
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
