import Foundation
import PurchaseKit

/// The model of a screen with a Restore button. An alert shows the result of each restore.
public class RestoringScreen: ProductScreen, @unchecked Sendable {
  /// Whether the Restore button can be pressed.
  public var canRestore: Bool { !manager.isRestoring }

  /// Starts restoring purchases. An alert shows the result, success or failure.
  public func restore() {
    do {
      try manager.restore()
      show(nil)
    } catch {
      show(error.purchaseAlert(names()))
    }
  }

  override func moreHandlers() -> Handlers {
    [
      (.InAppPurchaseManagerRestoreFinishedNotification, manager, { [weak self] in self?.restored($0) }),
      (.InAppPurchaseManagerRestoreFailedNotification, manager, { [weak self] in self?.restoringFailed($0) }),
    ]
  }

  private func restored(_ notification: Notification) {
    guard let purchases = notification.userInfo?[InAppPurchaseManager.restoredPurchasesKey] as? RestoredPurchases
    else { return }
    show(Self.text(for: purchases))
  }

  private static func text(for purchases: RestoredPurchases) -> String {
    if purchases.isEmpty { return "There is nothing to restore." }
    var text =
      purchases.given.count == 1 ? "1 purchase was restored." : "\(purchases.given.count) purchases were restored."
    let (kept, refused) = (purchases.keptProductIdentifiers.count, purchases.refusedProductIdentifiers.count)
    if kept > 0 { text += " \(kept) could not be granted yet and will be delivered again." }
    if refused > 0 { text += " \(refused) cannot be granted." }
    return text
  }

  private func restoringFailed(_ notification: Notification) {
    guard let error = notification.userInfo?[InAppPurchaseManager.errorKey] as? any Error
    else { return }
    // A cancelled sign-in has no alert text. The customer pressed Restore and gets a message even so.
    show(error.purchaseAlert(names()) ?? "Your purchases were not restored.")
  }

  /// Calls ``didChange`` on the main queue. Used for notifications that are posted on other threads.
  func changedElsewhere() {
    DispatchQueue.main.async { [weak self] in self?.didChange() }
  }
}
