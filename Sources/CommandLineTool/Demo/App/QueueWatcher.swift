import Foundation
import OpenStoreKit

/// Tells how many transactions are left in the queue whenever some have left it.
final class QueueWatcher: NSObject, SKPaymentTransactionObserver {
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    SampleApp.say(.left(inQueue: queue.transactions.count))
  }
}
