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
      screen?.didChange = { [pageChanged] in pageChanged() }
    }
    for name in [
      Notification.Name.CreditManagerBalanceChangedNotification, .CustomerStateCopyRefreshedNotification,
    ] {
      _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
        self?.pageChanged()
        self?.reportCreditsAtRisk()
      }
    }
    // A restore may have joined this device's customer with the one of another device, whose credits are now here, too.
    _ = NotificationCenter.default.addObserver(
      forName: .InAppPurchaseManagerRestoreFinishedNotification, object: manager, queue: nil
    ) { [weak self] _ in self?.refreshFromServer() }
    _ = NotificationCenter.default.addObserver(
      forName: .InAppPurchaseManagerTransactionSucceededNotification, object: manager, queue: nil
    ) { [weak self] _ in
      self?.redeemDurables()
      self?.refreshState()
    }
    pageChanged.watchPrompts { [weak self] in self?.prompt }
  }

  /// The models that may have an alert, and their screens.
  var alertSources: [(screen: AppScreen, model: ProductScreen)] {
    [(.credits, screen), (.credits, printing), (.filters, filters), (.books, books), (.club, club)]
      .compactMap { screen, model in (model as ProductScreen?).map { (screen, $0) } }
  }

  /// What is shown over the app's screens and waits for the customer; nil if there is nothing.
  @MainActor
  private var prompt: AppPrompt? {
    if let sheet = sheets?.shown { return AppPrompt(.sheet, sheet.prompt.title) }
    if let question = question.value?.question { return AppPrompt(.question, question.title) }
    return alertSources.lazy.compactMap(\.model.alert).first.map { AppPrompt(.alert, $0) }
  }
}
