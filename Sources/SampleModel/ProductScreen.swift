import Foundation
import PurchaseKit

/// The base of the sample's screens that sell products: buttons, buying, and one alert at a time.
///
/// Must be used on the main queue, on which StoreKit and the manager call it.
public class ProductScreen: NSObject, @unchecked Sendable {
  /// The notifications that the screen observes, their senders, and the functions that handle them.
  typealias Handlers = [(name: Notification.Name, sender: AnyObject, handle: (Notification) -> Void)]

  let manager: InAppPurchaseManager
  private let notifications: NotificationCenter
  private var observations: [any NSObjectProtocol] = []

  /// The products in the order in which the screen shows them.
  public internal(set) var productIdentifiers: [String]

  /// Called after anything on the screen has changed.
  public var didChange: @Sendable () -> Void = {}

  /// The text of the alert; nil for no alert. A cancelled payment shows no alert, and does not remove an alert.
  public internal(set) var alert: String?

  init(productIdentifiers: [String], manager: InAppPurchaseManager, notifications: NotificationCenter) {
    self.productIdentifiers = productIdentifiers
    self.manager = manager
    self.notifications = notifications
    super.init()
  }

  // MARK: Appearing

  /// Must be called when the screen appears. Registers for notifications, and requests prices that are missing, also if
  /// purchases are restricted. Also updates the buttons, because the restrictions may have changed.
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
        // The button shows that the payment waits. An alert would appear again at every launch.
        (.InAppPurchaseManagerTransactionDeferredNotification, manager, { [weak self] _ in self?.didChange() }),
      ] + moreHandlers()
    observations = handlers.map { name, sender, handle in
      nonisolated(unsafe) let handle = handle
      return notifications.addObserver(forName: name, object: sender, queue: nil) { handle($0) }
    }
    manager.requestMissingProductData(Set(productIdentifiers))
    didChange()
  }

  /// Must be called when the screen disappears. Stops observing notifications.
  public func disappear() {
    for observation in observations { notifications.removeObserver(observation) }
    observations = []
  }

  /// Returns further notifications that a subclass observes.
  func moreHandlers() -> Handlers { [] }

  // MARK: Content

  public func button(for productIdentifier: String) -> PurchaseButton { manager.purchaseButton(for: productIdentifier) }

  /// Returns the product's name in the language of the storefront. Until the product is fetched, returns the name of the
  /// built-in product, or ``nameOfNewProduct``. The customer never sees a product identifier.
  public func title(of productIdentifier: String) -> String { name(of: productIdentifier) ?? nameOfNewProduct }

  /// The title of a product that is not built in, until it is fetched.
  var nameOfNewProduct: String { "New product" }

  private func name(of productIdentifier: String) -> String? {
    let title = manager.fetchedProducts[productIdentifier]?.localizedTitle
    return title.flatMap { $0.isEmpty ? nil : $0 } ?? SampleCatalog.name(of: productIdentifier)
  }

  /// Returns the store's description of the product; empty until the product is fetched.
  public func text(of productIdentifier: String) -> String {
    manager.fetchedProducts[productIdentifier]?.localizedDescription ?? ""
  }

  /// Returns the price in the storefront's format, also if the product cannot be bought now; empty until the product is
  /// fetched.
  public func price(of productIdentifier: String) -> String {
    manager.fetchedProducts[productIdentifier]?.displayPrice ?? ""
  }

  /// The names that the customer knows, for alerts.
  ///
  /// - Parameter credits: the name of the credits that an alert is about.
  func names(credits: String = "credits") -> CustomerNames {
    CustomerNames(credits: credits, title: { [weak self] in self?.name(of: $0) })
  }

  // MARK: Actions

  /// Buys a product of the screen.
  ///
  /// - Parameter quantity: the number of units that are bought with one payment, 1 to 10.
  /// - Throws: ``InAppPurchaseError``; `notForSale` if the button is disabled. Nothing is changed then.
  public func buy(_ productIdentifier: String, quantity: Int = 1) throws {
    guard button(for: productIdentifier).isEnabled, let product = manager.fetchedProducts[productIdentifier] else {
      throw InAppPurchaseError.notForSale(productIdentifier)
    }
    try manager.purchaseProduct(product, quantity: quantity)
    show(nil)
  }

  /// Must be called when the customer dismisses the alert.
  public func dismissAlert() { show(nil) }

  /// Shows an alert for an error of another part of the app.
  public func report(_ error: any Error) { show(error.purchaseAlert(names())) }

  func show(_ text: String?) {
    alert = text
    didChange()
  }

  // MARK: Notifications

  private func changed(_ notification: Notification) {
    guard let transaction = notification.userInfo?[InAppPurchaseManager.transactionKey] as? StoreTransaction
    else { return }
    let error = notification.userInfo?[InAppPurchaseManager.errorKey] as? any Error ?? transaction.error
    // All screens are notified, and must show the same text, so that the app shows one alert.
    let credits = SampleCatalog.creditsName(of: transaction.productIdentifier)
    if let text = error?.purchaseAlert(names(credits: credits)) { alert = text }
    didChange()
  }
}
