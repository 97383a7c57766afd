import StoreKit

/// A paid transaction whose product could not be delivered. It stays in the payment queue, unfinished.
public struct KeptTransaction: Sendable {
  public let transaction: SKPaymentTransaction
  /// Why the last attempt to deliver the product failed.
  public let error: any Error
}

/// The paid transactions whose products are being delivered, and those whose products could not be delivered.
///
/// This value is in memory only. The payment queue keeps the transactions across launches. The errors are lost when the
/// app ends.
struct Fulfilments: Sendable {
  private var underWay: [SKPaymentTransaction] = []
  /// In the order of their first failure.
  private(set) var kept: [KeptTransaction] = []

  /// Begins to deliver a transaction's product.
  ///
  /// - Parameter isRetry: whether this is a retry. The product is then delivered only if the transaction is still kept.
  ///   Otherwise the transaction was fulfilled meanwhile, and delivering it again would post a second notification.
  /// - Returns: false if the product is being delivered already, or a retry is no longer needed.
  mutating func begin(_ transaction: SKPaymentTransaction, isRetry: Bool) -> Bool {
    guard !underWay.contains(where: { $0 === transaction }) else { return false }
    if isRetry, !kept.contains(where: { $0.transaction.isSame(as: transaction) }) { return false }
    underWay.append(transaction)
    return true
  }

  /// Ends the delivery of a transaction's product.
  ///
  /// - Parameter error: why the product was not delivered and has to be delivered later; nil if the transaction can be
  ///   finished.
  mutating func end(_ transaction: SKPaymentTransaction, keptBecause error: (any Error)?) {
    underWay.removeAll { $0 === transaction }
    guard let error else { return remove(transaction) }
    let entry = KeptTransaction(transaction: transaction, error: error)
    if let index = kept.firstIndex(where: { $0.transaction.isSame(as: transaction) }) {
      kept[index] = entry
    } else {
      kept.append(entry)
    }
  }

  /// Forgets a transaction that was finished.
  mutating func remove(_ transaction: SKPaymentTransaction) {
    kept.removeAll { $0.transaction.isSame(as: transaction) }
  }
}

extension SKPaymentTransaction {
  /// Whether both are the same transaction. StoreKit may deliver another object for it each time.
  fileprivate func isSame(as other: SKPaymentTransaction) -> Bool {
    self === other || (transactionIdentifier != nil && transactionIdentifier == other.transactionIdentifier)
  }
}
