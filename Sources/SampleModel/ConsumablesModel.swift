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
  private var buttons: [String: BuyButton] = [:]

  /// Called after anything on the screen has changed.
  public var didChange: @Sendable () -> Void = {}

  /// What to tell the customer; nil for nothing. A cancellation tells nothing.
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

  /// To be called when the screen appears: registers, and asks for prices that have not arrived yet.
  public func appear() {
    disappear()
    let handlers: [(Notification.Name, (ConsumablesModel, Notification) -> Void)] = [
      (.InAppPurchaseManagerProductsFetchedNotification, { model, _ in model.showPrices() }),
      (.InAppPurchaseManagerRequestFailedNotification, { model, _ in model.requestFailed() }),
      (.InAppPurchaseManagerTransactionSucceededNotification, { $0.ended($1) }),
      (.InAppPurchaseManagerTransactionFailedNotification, { $0.ended($1) }),
      (.InAppPurchaseManagerTransactionKeptNotification, { $0.ended($1) }),
    ]
    observations = handlers.map { name, handle in
      nonisolated(unsafe) let handle = handle
      return notifications.addObserver(forName: name, object: manager, queue: nil) { [weak self] notification in
        if let self { handle(self, notification) }
      }
    }
    showPrices()
    let missing = productIdentifiers.filter { manager.fetchedProducts[$0] == nil }
    if !missing.isEmpty { manager.requestProductData(Set(missing)) }
  }

  /// To be called when the screen disappears: unregisters.
  public func disappear() {
    for observation in observations { notifications.removeObserver(observation) }
    observations = []
  }

  // MARK: What the screen shows

  public func button(for productIdentifier: String) -> BuyButton {
    guard manager.canMakePayments else { return .disabled }
    if manager.isPurchasing(productIdentifier) { return .purchasing }
    return buttons[productIdentifier] ?? .loading
  }

  public func title(of productIdentifier: String) -> String {
    manager.fetchedProducts[productIdentifier]?.localizedTitle ?? ""
  }

  public var balanceText: String {
    get throws { "\(try credits.balance) monkey credits" }
  }

  // MARK: What the customer does

  /// Buys one product of the screen; its button must be enabled.
  public func buy(_ productIdentifier: String, quantity: Int = 1) throws {
    guard button(for: productIdentifier).isEnabled, let product = manager.fetchedProducts[productIdentifier] else {
      throw InAppPurchaseError.notForSale(productIdentifier)
    }
    alert = nil
    try manager.purchaseProduct(product, quantity: quantity)
    didChange()
  }

  /// Spends credits; where the balance does not cover it, says so and spends nothing.
  public func spend(_ amount: Int) async throws {
    do {
      try await credits.spend(amount)
      alert = nil
    } catch let error as CreditError {
      alert = error.description
    }
    didChange()
  }

  // MARK: What happened

  private func showPrices() {
    for identifier in productIdentifiers {
      if let product = manager.fetchedProducts[identifier] {
        buttons[identifier] = .price(product.displayPrice)
      } else if manager.invalidProductIdentifiers.contains(identifier) {
        buttons[identifier] = .invalidProduct
      }
    }
    didChange()
  }

  private func requestFailed() {
    for identifier in productIdentifiers where manager.fetchedProducts[identifier] == nil {
      buttons[identifier] = .networkDown
    }
    didChange()
  }

  private func ended(_ notification: Notification) {
    guard let transaction = notification.userInfo?[InAppPurchaseManager.transactionKey] as? SKPaymentTransaction
    else { return }
    let error = notification.userInfo?[InAppPurchaseManager.errorKey] as? any Error ?? transaction.error
    alert = error.flatMap { $0.isPaymentCancellation ? nil : "\($0.localizedDescription)" }
    didChange()
  }
}
