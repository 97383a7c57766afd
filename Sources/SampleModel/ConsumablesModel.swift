import PurchaseKit
import StoreKit

/// The monkey credits screen, without its looks: two products to buy again and again, a balance, and spending.
///
/// To be used on the main queue, where StoreKit and the manager call it.
public final class ConsumablesModel: NSObject, @unchecked Sendable {
  private let manager: InAppPurchaseManager
  private let credits: CreditManager
  private let notifications: NotificationCenter
  private var observations: [any NSObjectProtocol] = []

  /// Called after anything on the screen has changed.
  public var didChange: @Sendable () -> Void = {}

  /// What to tell the customer; nil for nothing. A cancellation tells nothing, and takes no other message away.
  public private(set) var alert: String?

  public init(manager: InAppPurchaseManager, credits: CreditManager, notifications: NotificationCenter = .default) {
    self.manager = manager
    self.credits = credits
    self.notifications = notifications
    super.init()
  }

  /// The products in the order in which the screen shows them.
  public let productIdentifiers = [SampleCatalog.fiveCredits, SampleCatalog.tenCredits]

  // MARK: Appearing

  /// To be called when the screen appears: registers, and asks for prices that have not arrived yet, also on a device that
  /// may not buy. Buttons are looked at anew, because restrictions may have changed.
  public func appear() {
    disappear()
    let handlers: [(Notification.Name, (ConsumablesModel, Notification) -> Void)] = [
      (.InAppPurchaseManagerProductsFetchedNotification, { model, _ in model.didChange() }),
      (.InAppPurchaseManagerRequestFailedNotification, { model, _ in model.didChange() }),
      (.InAppPurchaseManagerTransactionSucceededNotification, { $0.changed($1) }),
      (.InAppPurchaseManagerTransactionFailedNotification, { $0.changed($1) }),
      (.InAppPurchaseManagerTransactionKeptNotification, { $0.changed($1) }),
      // Its button says that it waits; an alert would come again at every launch.
      (.InAppPurchaseManagerTransactionDeferredNotification, { model, _ in model.didChange() }),
    ]
    observations = handlers.map { name, handle in
      nonisolated(unsafe) let handle = handle
      return notifications.addObserver(forName: name, object: manager, queue: nil) { [weak self] notification in
        if let self { handle(self, notification) }
      }
    }
    manager.requestMissingProductData(Set(productIdentifiers))
    didChange()
  }

  /// To be called when the screen disappears: unregisters.
  public func disappear() {
    for observation in observations { notifications.removeObserver(observation) }
    observations = []
  }

  // MARK: What the screen shows

  public func button(for productIdentifier: String) -> PurchaseButton { manager.purchaseButton(for: productIdentifier) }

  /// The product's name in the language of the storefront; empty until it has arrived.
  public func title(of productIdentifier: String) -> String {
    manager.fetchedProducts[productIdentifier]?.localizedTitle ?? ""
  }

  /// What the store says of the product; empty until it has arrived.
  public func text(of productIdentifier: String) -> String {
    manager.fetchedProducts[productIdentifier]?.localizedDescription ?? ""
  }

  public var balanceText: String {
    get throws { "\(try credits.balance) monkey credits" }
  }

  // MARK: What the customer does

  /// Buys a product of the screen.
  ///
  /// - Parameter quantity: 1 to 10: one payment, and the product is given as many times.
  /// - Throws: ``InAppPurchaseError``; `notForSale` where its button is not enabled. Nothing has been changed then.
  public func buy(_ productIdentifier: String, quantity: Int = 1) throws {
    guard button(for: productIdentifier).isEnabled, let product = manager.fetchedProducts[productIdentifier] else {
      throw InAppPurchaseError.notForSale(productIdentifier)
    }
    try manager.purchaseProduct(product, quantity: quantity)
    alert = nil
    didChange()
  }

  /// To be called when the customer has read the alert.
  public func dismissAlert() {
    alert = nil
    didChange()
  }

  /// Spends credits; where the balance does not cover it, says so and spends nothing.
  public func spend(_ amount: Int) async throws {
    do {
      try await credits.spend(amount)
      alert = nil
    } catch let error as CreditError {
      alert = error.purchaseAlert
    }
    didChange()
  }

  // MARK: What happened

  private func changed(_ notification: Notification) {
    guard let transaction = notification.userInfo?[InAppPurchaseManager.transactionKey] as? SKPaymentTransaction
    else { return }
    let error = notification.userInfo?[InAppPurchaseManager.errorKey] as? any Error ?? transaction.error
    if let words = error?.purchaseAlert { alert = words }
    didChange()
  }
}
