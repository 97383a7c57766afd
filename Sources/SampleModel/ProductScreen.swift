import PurchaseKit
import StoreKit

/// What the sample's screens that sell something have in common: buttons, buying, and one message at a time.
///
/// To be used on the main queue, where StoreKit and the manager call it.
public class ProductScreen: NSObject, @unchecked Sendable {
  /// What is told, by whom, and what the screen does about it.
  typealias Handlers = [(name: Notification.Name, teller: AnyObject, handle: (Notification) -> Void)]

  let manager: InAppPurchaseManager
  private let notifications: NotificationCenter
  private var observations: [any NSObjectProtocol] = []

  /// The products in the order in which the screen shows them.
  public internal(set) var productIdentifiers: [String]

  /// Called after anything on the screen has changed.
  public var didChange: @Sendable () -> Void = {}

  /// What to tell the customer; nil for nothing. A cancellation tells nothing, and takes no other message away.
  public internal(set) var alert: String?

  init(productIdentifiers: [String], manager: InAppPurchaseManager, notifications: NotificationCenter) {
    self.productIdentifiers = productIdentifiers
    self.manager = manager
    self.notifications = notifications
    super.init()
  }

  // MARK: Appearing

  /// To be called when the screen appears: registers, and asks for prices that have not arrived yet, also on a device that
  /// may not buy. Buttons are looked at anew, because restrictions may have changed.
  public func appear() {
    disappear()
    let handlers: Handlers =
      [
        (.InAppPurchaseManagerProductsFetchedNotification, manager, { [weak self] _ in self?.didChange() }),
        (.InAppPurchaseManagerRequestFailedNotification, manager, { [weak self] _ in self?.didChange() }),
        (.InAppPurchaseManagerTransactionSucceededNotification, manager, { [weak self] in self?.changed($0) }),
        (.InAppPurchaseManagerTransactionFailedNotification, manager, { [weak self] in self?.changed($0) }),
        (.InAppPurchaseManagerTransactionKeptNotification, manager, { [weak self] in self?.changed($0) }),
        (.InAppPurchaseManagerTransactionRefusedNotification, manager, { [weak self] in self?.changed($0) }),
        // Its button says that it waits; an alert would come again at every launch.
        (.InAppPurchaseManagerTransactionDeferredNotification, manager, { [weak self] _ in self?.didChange() }),
      ] + moreHandlers()
    observations = handlers.map { name, teller, handle in
      nonisolated(unsafe) let handle = handle
      return notifications.addObserver(forName: name, object: teller, queue: nil) { handle($0) }
    }
    manager.requestMissingProductData(Set(productIdentifiers))
    didChange()
  }

  /// To be called when the screen disappears: unregisters.
  public func disappear() {
    for observation in observations { notifications.removeObserver(observation) }
    observations = []
  }

  /// What a screen listens to beside what all do.
  func moreHandlers() -> Handlers { [] }

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

  /// The price as the storefront writes it, also while the product cannot be bought; empty until it has arrived.
  public func price(of productIdentifier: String) -> String {
    manager.fetchedProducts[productIdentifier]?.displayPrice ?? ""
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
    show(nil)
  }

  /// To be called when the customer has read the alert.
  public func dismissAlert() { show(nil) }

  /// To be called with what another part of the app could not do for the screen: the alert says why.
  public func report(_ error: any Error) { show(error.purchaseAlert) }

  func show(_ words: String?) {
    alert = words
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
