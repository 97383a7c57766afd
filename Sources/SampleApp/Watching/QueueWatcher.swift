import Foundation
import OpenStoreKit

/// Reports when the queue is empty.
///
/// It is added only by a command. Each observer that is added makes the queue request the unfinished transactions from
/// the store, and the receipt that comes with them no longer lists consumables that were finished meanwhile.
final class QueueWatcher: NSObject, SKPaymentTransactionObserver, Sendable {
  private let send: EventSender

  init(send: EventSender) { self.send = send }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    if queue.transactions.isEmpty { send(.queue(0)) }
  }
}
