import Foundation
import PurchaseKit

/// A screen of products that can be restored: a Restore button, and a message at its end either way.
public class RestoringScreen: ProductScreen, @unchecked Sendable {
  /// Whether Restore can be pressed.
  public var canRestore: Bool { !manager.isRestoring }

  /// Restores what was bought. A message tells how that ended, either way.
  public func restore() {
    do {
      try manager.restore()
      show(nil)
    } catch {
      show(error.description)
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
    show(Self.words(for: purchases))
  }

  private static func words(for purchases: RestoredPurchases) -> String {
    if purchases.isEmpty { return "There is nothing to restore." }
    var words =
      purchases.given.count == 1 ? "1 purchase was restored." : "\(purchases.given.count) purchases were restored."
    let (kept, refused) = (purchases.keptProductIdentifiers.count, purchases.refusedProductIdentifiers.count)
    if kept > 0 { words += " \(kept) could not be given yet and will come again." }
    if refused > 0 { words += " \(refused) cannot be given to you." }
    return words
  }

  private func restoringFailed(_ notification: Notification) {
    guard let error = notification.userInfo?[InAppPurchaseManager.errorKey] as? any Error
    else { return }
    // Who cancelled the sign-in is told all the same: whoever pressed Restore waits for a word.
    show(error.purchaseAlert ?? "Your purchases were not restored.")
  }

  /// Something changed that is told on whatever thread changed it; screens are of the main queue.
  func changedElsewhere() {
    DispatchQueue.main.async { [weak self] in self?.didChange() }
  }
}
