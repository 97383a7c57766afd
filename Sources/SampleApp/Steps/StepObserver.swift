import Foundation
import OpenStoreKit
import PurchaseKit

/// Sees what the queue tells every observer.
final class StepObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
  private let steps: StepTeller
  /// What was in the queue before is told once more, and was not added now.
  private let earlier: Set<ObjectIdentifier>

  init(steps: StepTeller, earlier: [SKPaymentTransaction]) {
    self.steps = steps
    self.earlier = Set(earlier.map(ObjectIdentifier.init))
  }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions { tell(transaction) }
  }

  private func tell(_ transaction: SKPaymentTransaction) {
    let (product, identifier) = (transaction.payment.productIdentifier, transaction.transactionIdentifier)
    switch transaction.transactionState {
    case .purchasing:
      if !earlier.contains(ObjectIdentifier(transaction)) { steps(.paymentAdded, product: product) }
    case .purchased: steps(.journalled, product: product, transaction: identifier)
    case .failed:
      let isCancelled = transaction.error?.isPaymentCancellation ?? false
      steps(isCancelled ? .cancelled : .failed, product: product, words: transaction.error?.purchaseAlert)
    case .deferred: steps(.deferred, product: product)
    case .restored: steps(.restored, product: product, transaction: identifier)
    @unknown default: break
    }
  }
}
