import Foundation
import OpenStoreKit
import PurchaseKit

/// Tells the steps of purchases, where somebody watches.
final class StepTeller: @unchecked Sendable {
  private let say: EventTeller
  private let isOn: Bool
  // Set once, when the app starts.
  private var observer: StepObserver?

  init(say: EventTeller, isOn: Bool) {
    self.say = say
    self.isOn = isOn
  }

  func callAsFunction(
    _ step: PurchaseStep, product: String? = nil, transaction: String? = nil, words: String? = nil
  ) {
    guard isOn else { return }
    say(.step(StepReport(step, product: product, transaction: transaction, words: words)))
  }

  /// Who is signed in to the store from now on; nil for nobody.
  func account(_ name: String?) { if isOn { say(.account(name)) } }

  /// Who gives goods, watched.
  func watching(_ deliveries: [any ProductDelivery]) -> [any ProductDelivery] {
    isOn ? deliveries.map { StepDelivery(base: $0, steps: self) } : deliveries
  }

  /// Watches what happens in the queue from now on.
  func watch(_ queue: SKPaymentQueue) {
    guard isOn else { return }
    let observer = StepObserver(steps: self, earlier: queue.transactions)
    self.observer = observer
    queue.add(observer)
  }

  /// Watches files arrive.
  func watch(_ downloads: ContentDownloads) {
    guard isOn else { return }
    let saved = SavedFiles(downloads: downloads, steps: self)
    _ = NotificationCenter.default.addObserver(
      forName: .ContentDownloadsChangedNotification, object: downloads, queue: nil
    ) { notification in
      guard let product = notification.userInfo?[ContentDownloads.productIdentifierKey] as? String else { return }
      saved.changed(product)
    }
  }
}
