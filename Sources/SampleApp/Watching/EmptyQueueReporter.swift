import Foundation
import OpenStoreKit
import PurchaseKit
import StoreKit
import StoreModel

/// Sends a report when no transaction is unfinished any more.
final class EmptyQueueReporter: Sendable {
  // Not retained, because the manager retains the function that it calls.
  private struct Watched: Sendable { weak var manager: InAppPurchaseManager? }

  private let interface: StoreInterface
  private let watched: Watched
  private let send: EventSender
  private let isWaiting = LockedValue(false)

  init(manager: InAppPurchaseManager, send: EventSender) {
    interface = manager.interface
    watched = Watched(manager: manager)
    self.send = send
    manager.watch { [weak self] event in
      guard case .removed = event, let self, isWaiting.value else { return }
      Task { @MainActor in await self.report() }
    }
  }

  /// The number of transactions that are not finished.
  @MainActor
  var count: Int {
    get async {
      switch interface {
      case .storeKit1: return SKPaymentQueue.default().transactions.count
      case .storeKit2:
        var count = watched.manager?.openTransactions.count ?? 0
        for await _ in Transaction.unfinished { count += 1 }
        return count
      }
    }
  }

  /// Reports that no transaction is unfinished, at once or as soon as that is so. Later calls report it again.
  @MainActor
  func report() async {
    isWaiting.value = true
    guard await count == 0 else { return }
    // A report for a transaction that was removed during the count may have come first.
    let isFirst = isWaiting.withLock { isWaiting in
      defer { isWaiting = false }
      return isWaiting
    }
    if isFirst { send(.queue(0)) }
  }
}

/// Observes the queue and ignores all updates.
final class SilentObserver: NSObject, SKPaymentTransactionObserver {
  func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
}
