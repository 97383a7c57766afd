import StoreKit

/// Payments that were begun in the App Store and could not go on at once.
final class PendingStorePayments: @unchecked Sendable {
  private let lock = NSLock()
  private var payments: [SKPayment] = []

  var all: [SKPayment] { lock.withLock { payments } }

  /// False if it is among them already.
  @discardableResult
  func add(_ payment: SKPayment) -> Bool {
    lock.withLock {
      guard !payments.contains(where: { $0 === payment }) else { return false }
      payments.append(payment)
      return true
    }
  }

  /// False if it is not (any more) among them.
  func remove(_ payment: SKPayment) -> Bool {
    lock.withLock {
      guard let index = payments.firstIndex(where: { $0 === payment }) else { return false }
      payments.remove(at: index)
      return true
    }
  }
}
