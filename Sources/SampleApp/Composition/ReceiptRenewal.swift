import Foundation
import OpenStoreKit
import PurchaseKit

/// Refreshes the receipt if the purchase server refuses it, for example because it is older than the purchase
/// (Documentation/purchase-kit.md). After the refresh, the manager delivers the kept purchases again. The receipt is
/// refreshed once per transaction and launch.
///
/// Unchecked, because it is used on the main queue only.
final class ReceiptRenewal: @unchecked Sendable {
  private let manager: InAppPurchaseManager
  private var tried: Set<String> = []
  private var refresh: Task<Void, Never>?

  private let send: EventSender

  init(manager: InAppPurchaseManager, send: EventSender) {
    self.manager = manager
    self.send = send
  }

  /// Called when a transaction could not be delivered and was kept.
  func kept(_ transaction: StoreTransaction, _ error: (any Error)?) {
    guard case .refused(let refusal)? = error as? PurchaseServerError, refusal.isAboutProof,
      let identifier = transaction.transactionIdentifier, tried.insert(identifier).inserted
    else { return }
    refresh?.cancel()
    refresh = Task { [manager, send] in
      do {
        _ = try await ReceiptRefresh.receipt()
      } catch is CancellationError {
        // A later refresh has replaced this one.
        return
      } catch {
        return send(.finding("The receipt could not be renewed: \(error)"))
      }
      // A task of its own, because a later refresh cancels this one.
      Task { await manager.deliverKept() }
    }
  }
}
