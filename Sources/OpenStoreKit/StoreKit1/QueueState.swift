import Foundation
import StoreModel

/// The part of the queue that the app can read: its transactions and observers.
final class QueueState: Sendable {
  private struct State: Sendable {
    var shown: [Int64: SKPaymentTransaction] = [:]
    var unwritten: Int64 = 0
    var attached: [Attached] = []
  }

  // Observers are not retained. Unchecked, because observers are not Sendable: here they are only compared, and they
  // are called on the main queue.
  private struct Attached: @unchecked Sendable {
    weak var observer: (any SKPaymentTransactionObserver)?
  }

  private let state = LockedValue(State())

  /// All transactions, sorted by the numbers of their entries. Entries that are not stored have negative numbers and
  /// come first.
  var transactions: [SKPaymentTransaction] {
    state.withLock { $0.shown.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// Whether this transaction object is in the queue.
  func shows(_ transaction: SKPaymentTransaction) -> Bool {
    guard let sequence = transaction.sequence else { return false }
    return state.withLock { $0.shown[sequence] === transaction }
  }

  /// Returns an unused negative number, for an entry that is not stored in the journal.
  func nextUnwritten() -> Int64 {
    state.withLock { state in
      state.unwritten -= 1
      return state.unwritten
    }
  }

  var observers: [any SKPaymentTransactionObserver] {
    let attached = state.withLock { state in
      state.attached.removeAll { $0.observer == nil }
      return state.attached
    }
    return attached.compactMap(\.observer)
  }

  /// - Returns: false if the observer was attached already.
  func attach(_ observer: any SKPaymentTransactionObserver) -> Bool {
    state.withLock { state in
      state.attached.removeAll { $0.observer == nil }
      guard !state.attached.contains(where: { $0.observer === observer }) else { return false }
      state.attached.append(Attached(observer: observer))
      return true
    }
  }

  func detach(_ observer: any SKPaymentTransactionObserver) {
    state.withLock { $0.attached.removeAll { $0.observer == nil || $0.observer === observer } }
  }

  /// Adds or updates entries, and returns their transactions. The same entry always has the same transaction object.
  @discardableResult
  func post(_ entries: [QueueEntry]) -> [SKPaymentTransaction] {
    state.withLock { state in
      entries.map { entry in
        if let transaction = state.shown[entry.sequence] {
          transaction.update(entry)
          return transaction
        }
        let transaction = SKPaymentTransaction(entry)
        state.shown[entry.sequence] = transaction
        return transaction
      }
    }
  }

  /// Removes entries, and returns the transactions that were in the queue.
  func take(_ sequences: [Int64]) -> [SKPaymentTransaction] {
    state.withLock { state in sequences.compactMap { state.shown.removeValue(forKey: $0) } }
  }
}
