import Foundation
import OpenStoreKit
import PurchaseKit

/// Refreshes the receipt if the purchase server refuses it, for example because it is older than the purchase
/// (Documentation/purchase-kit.md). After the refresh, the manager delivers the kept purchases again. The receipt is
/// refreshed once per transaction and launch.
///
/// Unchecked, because it is used on the main queue only, and `SKReceiptRefreshRequest` is not Sendable.
final class ReceiptRenewal: NSObject, SKRequestDelegate, @unchecked Sendable {
  private let manager: InAppPurchaseManager
  private var tried: Set<String> = []
  private var request: SKReceiptRefreshRequest?

  private let send: EventSender

  init(manager: InAppPurchaseManager, send: EventSender) {
    self.manager = manager
    self.send = send
  }

  /// Called when a transaction could not be delivered and was kept.
  func kept(_ transaction: SKPaymentTransaction, _ error: (any Error)?) {
    guard case .refused(let refusal)? = error as? PurchaseServerError, refusal.isAboutProof,
      let identifier = transaction.transactionIdentifier, tried.insert(identifier).inserted
    else { return }
    request?.cancel()
    let request = SKReceiptRefreshRequest()
    self.request = request
    request.delegate = self
    request.start()
  }

  func requestDidFinish(_ request: SKRequest) {
    self.request = nil
    Task { [manager] in await manager.deliverKept() }
  }

  func request(_ request: SKRequest, didFailWithError error: any Error) {
    self.request = nil
    send(.finding("The receipt could not be renewed: \(error)"))
  }
}
