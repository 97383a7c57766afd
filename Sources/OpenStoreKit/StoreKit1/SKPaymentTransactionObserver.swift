import Foundation

/// Told what becomes of the payments in the queue, on the main queue. Implements Apple's
/// `SKPaymentTransactionObserver`.
///
/// What is optional on Apple's platforms has an empty default here. A method must be in the class that declares the
/// conformance: one that only a subclass adds is not called, because Swift has no optional methods without
/// Objective-C.
public protocol SKPaymentTransactionObserver: NSObjectProtocol {
  /// Transactions are new or have changed. Finish each that is purchased, failed or restored, once it is dealt with.
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])

  /// Transactions have left the queue, having been finished.
  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])
  func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)
  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)
  func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool
  func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)
  func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String])
}

extension SKPaymentTransactionObserver {
  public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {}
  public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {}
  public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}
  public func paymentQueue(
    _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
  ) -> Bool { false }
  public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}
  public func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {}
}
