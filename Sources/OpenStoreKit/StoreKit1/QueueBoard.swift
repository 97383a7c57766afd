import Foundation

/// What an app can see of the queue at any moment: its transactions and its observers.
final class QueueBoard: @unchecked Sendable {
  private let lock = NSLock()
  private var shown: [Int64: SKPaymentTransaction] = [:]
  private var unwritten: Int64 = 0
  private var attached: [Attached] = []

  // Observers are not retained.
  private struct Attached {
    weak var observer: (any SKPaymentTransactionObserver)?
  }

  /// In the order in which they came.
  var transactions: [SKPaymentTransaction] {
    lock.withLock { shown.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Whether `transaction` is in the queue, as this very object.
  func shows(_ transaction: SKPaymentTransaction) -> Bool {
    guard let sequence = transaction.sequence else { return false }
    return lock.withLock { shown[sequence] === transaction }
  }

  /// A number for an entry that is in no journal.
  func nextUnwritten() -> Int64 {
    lock.withLock {
      unwritten -= 1
      return unwritten
    }
  }

  var observers: [any SKPaymentTransactionObserver] {
    lock.withLock {
      attached.removeAll { $0.observer == nil }
      return attached.compactMap(\.observer)
    }
  }

  /// Whether it was not attached already.
  func attach(_ observer: any SKPaymentTransactionObserver) -> Bool {
    lock.withLock {
      attached.removeAll { $0.observer == nil }
      guard !attached.contains(where: { $0.observer === observer }) else { return false }
      attached.append(Attached(observer: observer))
      return true
    }
  }

  func detach(_ observer: any SKPaymentTransactionObserver) {
    lock.withLock { attached.removeAll { $0.observer == nil || $0.observer === observer } }
  }

  /// Shows the entries, each as the same object as before, and gives those objects.
  @discardableResult
  func post(_ entries: [QueueEntry]) -> [SKPaymentTransaction] {
    lock.withLock {
      entries.map { entry in
        if let transaction = shown[entry.sequence] {
          transaction.update(entry)
          return transaction
        }
        let transaction = SKPaymentTransaction(entry)
        shown[entry.sequence] = transaction
        return transaction
      }
    }
  }

  /// Takes entries down, and gives those that were shown.
  func take(_ sequences: [Int64]) -> [SKPaymentTransaction] {
    lock.withLock { sequences.compactMap { shown.removeValue(forKey: $0) } }
  }
}
