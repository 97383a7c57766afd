import Foundation
import OpenStoreKit

/// Observes the queue and ignores all updates.
final class SilentObserver: NSObject, SKPaymentTransactionObserver {
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}
