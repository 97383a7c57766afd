import StoreKit

/// The transactions that wait for somebody who can give their goods, in the order in which they came.
///
/// It is the payment queue that keeps them, unfinished, across launches; this is only what is known of why.
final class KeptTransactions: @unchecked Sendable {
  private let lock = NSLock()
  private var kept: [KeptTransaction] = []

  var all: [KeptTransaction] { lock.withLock { kept } }

  func contains(_ transaction: SKPaymentTransaction) -> Bool {
    lock.withLock { kept.contains { $0.transaction.isSame(as: transaction) } }
  }

  func keep(_ transaction: SKPaymentTransaction, _ error: any Error) {
    let new = KeptTransaction(transaction: transaction, error: error)
    lock.withLock {
      if let index = kept.firstIndex(where: { $0.transaction.isSame(as: transaction) }) {
        kept[index] = new
      } else {
        kept.append(new)
      }
    }
  }

  func remove(_ transaction: SKPaymentTransaction) {
    lock.withLock { kept.removeAll { $0.transaction.isSame(as: transaction) } }
  }
}

extension SKPaymentTransaction {
  /// StoreKit does not promise the same object each time it tells of a transaction.
  fileprivate func isSame(as other: SKPaymentTransaction) -> Bool {
    self === other || (transactionIdentifier != nil && transactionIdentifier == other.transactionIdentifier)
  }
}
