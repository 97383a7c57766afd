import StoreKit

/// Who waits for which transaction.
///
/// StoreKit does not say which added payment a transaction belongs to, but it tells of each as `.purchasing` in the
/// order of adding, and later of the same object. So the first who waits for a product and quantity is bound to the
/// first such transaction that begins.
final class PendingPurchases: @unchecked Sendable {
  typealias Continuation = CheckedContinuation<PaidPurchase, any Error>

  private struct Waiting {
    let productIdentifier: String
    let quantity: Int
    let continuation: Continuation
    var transaction: SKPaymentTransaction?
  }

  private let lock = NSLock()
  private var waiting: [Waiting] = []

  func expect(productIdentifier: String, quantity: Int, _ continuation: Continuation) {
    lock.withLock {
      waiting.append(
        Waiting(productIdentifier: productIdentifier, quantity: quantity, continuation: continuation))
    }
  }

  func began(_ transaction: SKPaymentTransaction) {
    lock.withLock {
      guard !waiting.contains(where: { $0.transaction === transaction }) else { return }
      if let index = firstUnbound(for: transaction) { waiting[index].transaction = transaction }
    }
  }

  func resolve(_ transaction: SKPaymentTransaction, with result: Result<PaidPurchase, any Error>) {
    let continuation: Continuation? = lock.withLock {
      let bound = waiting.firstIndex { $0.transaction === transaction }
      // A payment that could not even be journalled fails without having begun.
      let index = bound ?? (transaction.transactionState == .failed ? firstUnbound(for: transaction) : nil)
      return index.map { waiting.remove(at: $0).continuation }
    }
    continuation?.resume(with: result)
  }

  private func firstUnbound(for transaction: SKPaymentTransaction) -> Int? {
    let payment = transaction.payment
    return waiting.firstIndex {
      $0.transaction == nil && $0.productIdentifier == payment.productIdentifier && $0.quantity == payment.quantity
    }
  }
}
