import Foundation
import OpenStoreKit

/// Sends a report when the queue becomes empty.
///
/// Only a command adds this observer, not the start of the app. Each added observer makes the queue request the
/// unfinished transactions and a new receipt. The new receipt no longer lists consumables that were finished meanwhile.
final class QueueWatcher: NSObject, SKPaymentTransactionObserver, Sendable {
  private let send: EventSender

  init(send: EventSender) { self.send = send }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    if queue.transactions.isEmpty { send(.queue(0)) }
  }
}

/// Observes the queue and ignores all updates.
final class SilentObserver: NSObject, SKPaymentTransactionObserver {
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}
