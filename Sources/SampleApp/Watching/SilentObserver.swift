import Foundation
import OpenStoreKit

/// Listens to the queue without doing anything.
final class SilentObserver: NSObject, SKPaymentTransactionObserver {
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}
