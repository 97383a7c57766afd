import Foundation
import PurchaseKit
import SampleModel

// What the app's pages are told.
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

  /// Asks the developer's server how many pages can be printed, as soon as it can be reached.
  func askHowManyPages() {
    guard let credits = goods?.printing.credits else { return }
    let reachability = NetworkReturn(network: network)
    Task {
      var failures = 0
      while true {
        do {
          return try await credits.refresh()
        } catch {
          // What no waiting mends, whoever asks the server again is told.
          guard (error as? PurchaseServerError)?.isTemporary ?? false else { return }
          failures += 1
          await reachability.waitUntilWorthAsking(afterFailures: failures)
        }
      }
    }
  }
}
