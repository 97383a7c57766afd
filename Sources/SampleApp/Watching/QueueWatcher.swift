import Foundation
import OpenStoreKit

/// Tells when there is no transaction left in the queue.
///
/// Attached only when somebody asks: each observer that is attached makes the queue ask the store what is unfinished, and the
/// receipt that comes along lists no consumable that was finished meanwhile.
final class QueueWatcher: NSObject, SKPaymentTransactionObserver, Sendable {
  private let say: EventSender

  init(say: EventSender) { self.say = say }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    if queue.transactions.isEmpty { say(.queue(0)) }
  }
}
