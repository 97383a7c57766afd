import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel

/// A queue that reports scripted transactions to its observers, also ones that StoreKit's own queue would not create.
final class ScriptedQueue: SKPaymentQueue, @unchecked Sendable {
  private struct State: Sendable {
    var shown: [SKPaymentTransaction] = []
    var done: [SKPaymentTransaction] = []
    var restoring: (@Sendable (ScriptedQueue) -> Void)?
  }

  private let state = LockedValue(State())

  override var transactions: [SKPaymentTransaction] { state.withLock { $0.shown } }

  var finished: [SKPaymentTransaction] { state.withLock { $0.done } }

  override func finishTransaction(_ transaction: SKPaymentTransaction) {
    state.withLock { state in
      state.shown.removeAll { $0 === transaction }
      state.done.append(transaction)
    }
  }

  func report(_ transaction: SKPaymentTransaction) {
    state.withLock { state in if !state.shown.contains(transaction) { state.shown.append(transaction) } }
    for observer in transactionObservers { observer.paymentQueue(self, updatedTransactions: [transaction]) }
  }

  /// Sets what the queue reports when the app restores purchases.
  func onRestore(_ report: @escaping @Sendable (ScriptedQueue) -> Void) { state.withLock { $0.restoring = report } }

  override func restoreCompletedTransactions(withApplicationUsername username: String?) {
    state.withLock { $0.restoring }?(self)
  }

  func endRestoring(_ error: (any Error)? = nil) {
    for observer in transactionObservers {
      if let error {
        observer.paymentQueue(self, restoreCompletedTransactionsFailedWithError: error)
      } else {
        observer.paymentQueueRestoreCompletedTransactionsFinished(self)
      }
    }
  }

  func revoke(_ products: [String]) {
    for observer in transactionObservers {
      observer.paymentQueue(self, didRevokeEntitlementsForProductIdentifiers: products)
    }
  }

  func changeStorefront() {
    for observer in transactionObservers { observer.paymentQueueDidChangeStorefront(self) }
  }

  func remove(_ transaction: SKPaymentTransaction) {
    state.withLock { state in state.shown.removeAll { $0 === transaction } }
    for observer in transactionObservers { observer.paymentQueue(self, removedTransactions: [transaction]) }
  }
}

final class ScriptedTransaction: SKPaymentTransaction, @unchecked Sendable {
  private let scripted: SKMutablePayment
  private let identifier: String
  private let scriptedOriginal: ScriptedTransaction?
  var state: SKPaymentTransactionState

  init(_ product: String, _ state: SKPaymentTransactionState, identifier: String = "1", original: String? = nil) {
    self.identifier = identifier
    scriptedOriginal = original.map { ScriptedTransaction(product, .purchased, identifier: $0) }
    scripted = SKMutablePayment()
    scripted.productIdentifier = product
    self.state = state
    super.init()
  }

  override var payment: SKPayment { scripted }
  override var transactionState: SKPaymentTransactionState { state }
  override var transactionIdentifier: String? { [.purchased, .restored].contains(state) ? identifier : nil }
  override var original: SKPaymentTransaction? { scriptedOriginal }
  override var transactionDate: Date? { Date(timeIntervalSince1970: 1_790_000_000) }
}

extension TestShop {
  /// Returns a manager like the shop's, on another queue.
  func manager(on queue: SKPaymentQueue, deliveries: [any ProductDelivery]? = nil) -> InAppPurchaseManager {
    let device = device
    return InAppPurchaseManager(
      deliveries: deliveries ?? [credits], queue: queue, notifications: notifications,
      makeProductsRequest: { SKProductsRequest(productIdentifiers: $0, device: device) },
      paymentsAllowed: { true }, retry: reachability)
  }
}
