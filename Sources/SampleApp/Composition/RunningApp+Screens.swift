import Foundation
import PurchaseKit
import SampleModel

// Reports changes of the app's screens, and of what is stored on this device only.
extension RunningApp {
  /// Reports the credits that are lost if the app is deleted. The phone asks its owner before it deletes the app.
  func reportCreditsAtRisk() {
    send(.creditsAtRisk(goods?.monkeyCredits == nil ? vault.creditsAtRisk : nil))
  }

  /// Reports each change that may affect the content of a screen.
  func watchScreens() {
    for screen in [screen, filters, books, printing, club] as [ProductScreen?] {
      screen?.didChange = { [send] in send(.pageChanged) }
    }
    _ = NotificationCenter.default.addObserver(
      forName: .CreditManagerBalanceChangedNotification, object: nil, queue: nil
    ) { [weak self] _ in
      self?.send(.pageChanged)
      self?.reportCreditsAtRisk()
    }
    // A restore may have joined this device's customer with the one of another device, whose credits are now here, too.
    _ = NotificationCenter.default.addObserver(
      forName: .InAppPurchaseManagerRestoreFinishedNotification, object: manager, queue: nil
    ) { [weak self] _ in self?.refreshServerCredits() }
  }
}
