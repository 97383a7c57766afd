import StoreKit

/// The payments that the manager added to StoreKit 1's queue and that have no outcome yet, with their transactions.
///
/// StoreKit 1 does not report which transaction belongs to which payment. It delivers payments as `.purchasing` in the
/// order in which they were added, and later updates the same transaction objects. So an added payment is bound to the
/// first transaction with its product and quantity that begins later; never to a transaction that was in the queue
/// before.
struct StoreKit1Binding: Sendable {
  private struct Added: Sendable {
    let order: UUID
    let productIdentifier: String
    let quantity: Int
    /// The queue's transactions when the payment was added.
    let earlier: [SKPaymentTransaction]
    var transaction: SKPaymentTransaction?
  }

  private var added: [Added] = []

  /// - Parameters:
  ///   - payment: the payment, which is about to be added to the queue.
  ///   - earlier: the queue's transactions before that.
  mutating func add(_ order: UUID, _ payment: SKPayment, after earlier: [SKPaymentTransaction]) {
    added.append(
      Added(
        order: order, productIdentifier: payment.productIdentifier, quantity: payment.quantity, earlier: earlier))
  }

  /// Returns the order of a transaction that has changed; nil if the manager did not add its payment. A payment with an
  /// outcome, or one that waits for approval, is removed.
  mutating func order(of transaction: SKPaymentTransaction) -> UUID? {
    let bound = added.firstIndex { $0.transaction === transaction }
    switch transaction.transactionState {
    case .purchasing:
      guard let index = bound ?? firstUnbound(for: transaction) else { return nil }
      added[index].transaction = transaction
      return added[index].order
    // If StoreKit cannot store a payment, its transaction fails without having been `.purchasing` before.
    case .failed, .deferred: return (bound ?? firstUnbound(for: transaction)).map { added.remove(at: $0).order }
    default: return bound.map { added.remove(at: $0).order }
    }
  }

  mutating func removeAll() { added = [] }

  private func firstUnbound(for transaction: SKPaymentTransaction) -> Int? {
    let payment = transaction.payment
    return added.firstIndex {
      $0.transaction == nil && $0.productIdentifier == payment.productIdentifier && $0.quantity == payment.quantity
        && !$0.earlier.contains { $0 === transaction }
    }
  }
}
