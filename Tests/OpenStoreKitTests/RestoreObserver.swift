import Foundation
import OpenStoreKit

/// An observer of restores. It records the batches of transactions, and how each restore ended.
final class RestoreObserver: NSObject, SKPaymentTransactionObserver, Sendable {
  enum End: Equatable, Sendable {
    case finished
    case failed(domain: String, code: Int)
  }

  private enum Notified: Sendable {
    case batch([SKPaymentTransaction])
    case end(End)
  }

  private let reported = AsyncStream.makeStream(of: Notified.self)

  /// Returns the batches until the next end of a restore, and that end.
  func end() async -> (transactions: [[SKPaymentTransaction]], end: End) {
    var batches: [[SKPaymentTransaction]] = []
    for await next in reported.stream {
      switch next {
      case .batch(let transactions): batches.append(transactions)
      case .end(let end): return (batches, end)
      }
    }
    return (batches, .failed(domain: "RestoreObserver", code: 0))
  }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    let restored = transactions.filter { $0.transactionState == .restored }
    if !restored.isEmpty { reported.continuation.yield(.batch(restored)) }
  }

  func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
    reported.continuation.yield(.end(.finished))
  }

  func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {
    reported.continuation.yield(.end(.failed(domain: (error as NSError).domain, code: (error as NSError).code)))
  }
}
