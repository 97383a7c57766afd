import Foundation
import PurchaseKit
import SampleModel

// What the app's screens tell.
extension RunningApp {
  /// Tells whenever something on a screen may have changed.
  func watchScreens() {
    for screen in [screen, filters, books, printing] as [ProductScreen?] {
      screen?.didChange = { [say] in say(.pageChanged) }
    }
    _ = NotificationCenter.default.addObserver(
      forName: .CreditManagerBalanceChangedNotification, object: nil, queue: nil
    ) { [say] _ in say(.pageChanged) }
  }
}
