import Foundation

/// The payments that the manager added and that have no outcome yet, with their transactions and waiting tasks.
struct AddedPayments: Sendable {
  /// A task that waits for the outcome of a payment.
  struct Waiting: Sendable {
    let ticket: Int
    let continuation: CheckedContinuation<PaidPurchase, any Error>
  }

  private struct Added: Sendable {
    let order: UUID
    let productIdentifier: String
    var waiting: Waiting?
    var transaction: StoreTransaction.ID?
  }

  private var added: [Added] = []

  /// - Parameters:
  ///   - order: the id of the payment, which is about to be added.
  ///   - waiting: the task that waits for the outcome.
  mutating func add(_ order: UUID, of productIdentifier: String, waiting: Waiting?) {
    added.append(Added(order: order, productIdentifier: productIdentifier, waiting: waiting))
  }

  /// Whether a payment for the product has no outcome yet.
  func contains(_ productIdentifier: String) -> Bool {
    added.contains { $0.productIdentifier == productIdentifier }
  }

  /// Records the transaction of a payment.
  mutating func bind(_ order: UUID, to transaction: StoreTransaction) {
    guard let index = added.firstIndex(where: { $0.order == order }) else { return }
    added[index].transaction = transaction.id
  }

  /// Removes the waiting task, and returns it. The payment stays, because it has no outcome yet.
  mutating func stopWaiting(_ ticket: Int) -> Waiting? {
    guard let index = added.firstIndex(where: { $0.waiting?.ticket == ticket }) else { return nil }
    defer { added[index].waiting = nil }
    return added[index].waiting
  }

  /// Removes the payment of a transaction that has an outcome or waits for approval.
  ///
  /// - Returns: the task that waits for it.
  mutating func remove(_ transaction: StoreTransaction) -> Waiting? {
    added.firstIndex { $0.transaction == transaction.id }.flatMap { added.remove(at: $0).waiting }
  }

  /// Removes all payments, and returns the tasks that wait for them.
  mutating func removeAll() -> [Waiting] {
    defer { added = [] }
    return added.compactMap(\.waiting)
  }
}
