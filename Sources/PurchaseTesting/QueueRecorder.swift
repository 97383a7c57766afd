import Foundation
import OpenStoreKit
import StoreModel

/// An observer of a payment queue that records what the queue reports, and never finishes a transaction.
final class QueueRecorder: NSObject, SKPaymentTransactionObserver, Sendable {
  /// An event of the queue.
  enum Event: Sendable {
    case updated(SKPaymentTransaction, SKPaymentTransactionState)
    case removed(SKPaymentTransaction)
    case restoreFinished
    case restoreFailed(any Error)
    case revoked([String])

    var text: String {
      switch self {
      case .updated(let transaction, let state):
        let reason = state == .failed ? transaction.error.map { " (\($0.localizedDescription))" } ?? "" : ""
        return "\(transaction.payment.productIdentifier) \(state.name)\(reason)"
      case .removed(let transaction): return "\(transaction.payment.productIdentifier) finished"
      case .restoreFinished: return "restore finished"
      case .restoreFailed(let error): return "restore failed (\(error.localizedDescription))"
      case .revoked(let products): return "\(products.joined(separator: " and ")) revoked"
      }
    }
  }

  private struct State: Sendable {
    /// The events that no call of ``next(_:)`` has returned yet, oldest first.
    var pending: [Event] = []
    /// The texts of all events, oldest first.
    var texts: [String] = []
    var waiters = WaitQueue<Bool>()
  }

  private let state = LockedValue(State())

  /// The texts of all events, oldest first.
  var texts: [String] { state.withLock { $0.texts } }

  /// Returns the oldest event that `select` accepts and that no earlier call has returned. Waits for it if necessary.
  ///
  /// - Returns: nil if the task is cancelled.
  func next<Result: Sendable>(_ select: @Sendable (Event) -> Result?) async -> Result? {
    while true {
      // The search and the count use one lock. So an event that comes after the search ends the wait below.
      let (found, count): (Result?, Int) = state.withLock { state in
        for (index, event) in state.pending.enumerated() {
          guard let result = select(event) else { continue }
          state.pending.remove(at: index)
          return (result, state.texts.count)
        }
        return (nil, state.texts.count)
      }
      if let found { return found }
      let mayContinue = await state.wait(in: \.waiters, cancelled: false) { $0.texts.count == count ? nil : true }
      guard mayContinue else { return nil }
    }
  }

  /// Records events after the app's observers were notified of them, so that a test which waits for an event finds the
  /// app's reaction to it. All observers are called on the main queue, and this one may be called first.
  private func record(_ events: [Event]) {
    DispatchQueue.main.async { [self] in
      let waiters = state.withLock { state in
        state.pending += events
        state.texts += events.map(\.text)
        return state.waiters.removeAll()
      }
      for waiter in waiters { waiter.resume(true) }
    }
  }

  // MARK: SKPaymentTransactionObserver

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    record(transactions.map { .updated($0, $0.transactionState) })
  }

  func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
    record(transactions.map { .removed($0) })
  }

  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { record([.restoreFinished]) }

  func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
    record([.restoreFailed(error)])
  }

  func paymentQueue(
    _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
  ) {
    record([.revoked(productIdentifiers)])
  }
}

extension SKPaymentTransactionState {
  var name: String {
    switch self {
    case .purchasing: "purchasing"
    case .purchased: "purchased"
    case .failed: "failed"
    case .restored: "restored"
    case .deferred: "deferred"
    @unknown default: "state \(rawValue)"
    }
  }
}
