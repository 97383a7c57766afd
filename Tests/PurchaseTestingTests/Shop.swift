import StoreKit

/// An app that counts what it sold, by transaction, and finishes every transaction.
final class Shop: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
  /// Written and read on the main queue.
  private(set) var sold: [String: String] = [:]
  private let queue: SKPaymentQueue

  /// - Parameter queue: not the default one, which other tests of the process change.
  init(_ queue: SKPaymentQueue) {
    self.queue = queue
    super.init()
    queue.add(self)
  }

  /// The products that were sold, sorted.
  @MainActor var products: [String] { sold.values.sorted() }

  func buy(_ product: String) {
    let payment = SKMutablePayment()
    payment.productIdentifier = product
    queue.add(payment)
  }

  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
      switch transaction.transactionState {
      case .purchased, .restored:
        let identifier = transaction.original?.transactionIdentifier ?? transaction.transactionIdentifier
        sold[identifier ?? "none"] = transaction.payment.productIdentifier
        queue.finishTransaction(transaction)
      case .failed: queue.finishTransaction(transaction)
      case .purchasing, .deferred: break
      @unknown default: break
      }
    }
  }
}
