import Foundation
import PurchaseKit
import SampleModel

// Reports changes of the app's screens.
extension RunningApp {
  /// Reports each change that may affect the content of a screen.
  func watchScreens() {
    for screen in [screen, filters, books, printing, club] as [ProductScreen?] {
      screen?.didChange = { [send] in send(.pageChanged) }
    }
    _ = NotificationCenter.default.addObserver(
      forName: .CreditManagerBalanceChangedNotification, object: nil, queue: nil
    ) { [send] _ in send(.pageChanged) }
  }
}
