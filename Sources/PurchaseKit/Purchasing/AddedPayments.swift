import StoreKit

/// The payments that the manager added to the queue and that have no outcome yet, with their transactions and waiting tasks.
///
/// StoreKit does not report which transaction belongs to which payment. It delivers payments as `.purchasing` in the
/// order in which they were added, and later updates the same transaction objects. So an added payment is bound to the
/// first transaction with its product and quantity that begins later; never to a transaction that was in the queue
/// before.
struct AddedPayments: Sendable {
  /// A task that waits for the outcome of a payment.
  struct Waiting: Sendable {
    let ticket: Int
    let continuation: CheckedContinuation<PaidPurchase, any Error>
  }

  private struct Added: Sendable {
    let productIdentifier: String
    let quantity: Int
    /// The queue's transactions when the payment was added.
    let earlier: [SKPaymentTransaction]
    var waiting: Waiting?
    var transaction: SKPaymentTransaction?
  }

  private var added: [Added] = []

  /// - Parameters:
  ///   - payment: the payment, which is about to be added to the queue.
  ///   - earlier: the queue's transactions before that.
  ///   - waiting: the task that waits for the outcome.
  mutating func add(_ payment: SKPayment, after earlier: [SKPaymentTransaction], waiting: Waiting?) {
    added.append(
      Added(
        productIdentifier: payment.productIdentifier, quantity: payment.quantity, earlier: earlier, waiting: waiting))
  }

  /// Whether a payment for the product has no outcome yet.
  func contains(_ productIdentifier: String) -> Bool {
    added.contains { $0.productIdentifier == productIdentifier }
  }

  /// Binds a new transaction to its payment, unless it is bound already.
  mutating func began(_ transaction: SKPaymentTransaction) {
    guard bound(to: transaction) == nil else { return }
    if let index = firstUnbound(for: transaction) { added[index].transaction = transaction }
  }

  /// Removes the waiting task, and returns it. The payment stays, so that its transaction is not bound to another payment.
  mutating func stopWaiting(_ ticket: Int) -> Waiting? {
    guard let index = added.firstIndex(where: { $0.waiting?.ticket == ticket }) else { return nil }
    defer { added[index].waiting = nil }
    return added[index].waiting
  }

  /// Removes the payment of a transaction that has an outcome or waits for approval.
  ///
  /// - Returns: the task that waits for it.
  mutating func remove(_ transaction: SKPaymentTransaction) -> Waiting? {
    let index =
      switch transaction.transactionState {
      // If StoreKit cannot store a payment, its transaction fails without having been `.purchasing` before.
      case .failed, .deferred: bound(to: transaction) ?? firstUnbound(for: transaction)
      default: bound(to: transaction)
      }
    return index.flatMap { added.remove(at: $0).waiting }
  }

  /// Removes all payments, and returns the tasks that wait for them.
  mutating func removeAll() -> [Waiting] {
    defer { added = [] }
    return added.compactMap(\.waiting)
  }

  private func bound(to transaction: SKPaymentTransaction) -> Int? {
    added.firstIndex { $0.transaction === transaction }
  }

  private func firstUnbound(for transaction: SKPaymentTransaction) -> Int? {
    let payment = transaction.payment
    return added.firstIndex {
      $0.transaction == nil && $0.productIdentifier == payment.productIdentifier && $0.quantity == payment.quantity
        && !$0.earlier.contains { $0 === transaction }
    }
  }
}
