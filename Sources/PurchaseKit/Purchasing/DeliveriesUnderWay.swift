import StoreKit

/// The transactions whose goods are being given at this moment.
final class DeliveriesUnderWay: @unchecked Sendable {
  private let lock = NSLock()
  private var transactions: [SKPaymentTransaction] = []

  /// False if its goods are being given already.
  func begin(_ transaction: SKPaymentTransaction) -> Bool {
    lock.withLock {
      guard !transactions.contains(where: { $0 === transaction }) else { return false }
      transactions.append(transaction)
      return true
    }
  }

  func end(_ transaction: SKPaymentTransaction) {
    lock.withLock { transactions.removeAll { $0 === transaction } }
  }
}
