/// A paid transaction whose product could not be delivered. It stays unfinished.
public struct KeptTransaction: Sendable {
  public let transaction: StoreTransaction
  /// Why the last attempt to deliver the product failed.
  public let error: any Error
}

/// The paid transactions whose products are being delivered, and those whose products could not be delivered.
///
/// This value is in memory only. StoreKit keeps the transactions across launches. The errors are lost when the
/// app ends.
struct Fulfilments: Sendable {
  /// The tasks that wait for the end of each delivery.
  private var underWay: [StoreTransaction.ID: [CheckedContinuation<Void, Never>]] = [:]
  /// In the order of their first failure.
  private(set) var kept: [KeptTransaction] = []

  /// Begins to deliver a transaction's product.
  ///
  /// - Parameter isRetry: whether this is a retry. The product is then delivered only if the transaction is still kept.
  ///   Otherwise the transaction was fulfilled meanwhile, and delivering it again would post a second notification.
  /// - Returns: false if the product is being delivered already, or a retry is no longer needed.
  mutating func begin(_ transaction: StoreTransaction, isRetry: Bool) -> Bool {
    guard underWay[transaction.id] == nil else { return false }
    if isRetry, !kept.contains(where: { $0.transaction.isSame(as: transaction) }) { return false }
    underWay[transaction.id] = []
    return true
  }

  /// Adds a task that waits for the end of a delivery.
  ///
  /// - Returns: false if the transaction's product is not being delivered.
  mutating func wait(for transaction: StoreTransaction, _ continuation: CheckedContinuation<Void, Never>) -> Bool {
    guard underWay[transaction.id] != nil else { return false }
    underWay[transaction.id]?.append(continuation)
    return true
  }

  /// Ends the delivery of a transaction's product.
  ///
  /// - Parameter error: why the product was not delivered and has to be delivered later; nil if the transaction can be
  ///   finished.
  /// - Returns: the tasks that wait for the end.
  mutating func end(
    _ transaction: StoreTransaction, keptBecause error: (any Error)?
  ) -> [CheckedContinuation<Void, Never>] {
    let waiting = underWay.removeValue(forKey: transaction.id) ?? []
    guard let error else {
      remove(transaction)
      return waiting
    }
    let entry = KeptTransaction(transaction: transaction, error: error)
    if let index = kept.firstIndex(where: { $0.transaction.isSame(as: transaction) }) {
      kept[index] = entry
    } else {
      kept.append(entry)
    }
    return waiting
  }

  /// Forgets a transaction that was finished.
  mutating func remove(_ transaction: StoreTransaction) {
    kept.removeAll { $0.transaction.isSame(as: transaction) }
  }
}
