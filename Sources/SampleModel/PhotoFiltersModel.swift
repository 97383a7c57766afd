import Foundation
import PurchaseKit

/// The photo filters screen, without its looks: a Buy button becomes the button that applies the filter; Clear filter and
/// Restore.
public final class PhotoFiltersModel: ProductScreen, @unchecked Sendable {
  private let filters: PhotoFilterManager

  public init(
    manager: InAppPurchaseManager, filters: PhotoFilterManager, notifications: NotificationCenter = .default
  ) {
    self.filters = filters
    super.init(
      productIdentifiers: [SampleCatalog.greyscale, SampleCatalog.sepia], manager: manager,
      notifications: notifications)
  }

  /// What a filter's button shows.
  public enum FilterButton: Hashable, Sendable {
    case buy(PurchaseButton)
    /// Applies the filter; the name of the product's last part.
    case use(String)

    /// What the button reads.
    public var title: String {
      switch self {
      case .buy(let button): button.title
      case .use(let name): "Use \(name)"
      }
    }

    /// Whether it can be pressed.
    public var isEnabled: Bool {
      switch self {
      case .buy(let button): button.isEnabled
      case .use: true
      }
    }
  }

  // MARK: What the screen shows

  /// Owned, its button applies the filter, whatever the store says or does not say meanwhile.
  public func filterButton(for productIdentifier: String) throws -> FilterButton {
    if try filters.isUnlocked(productIdentifier) {
      return .use(productIdentifier.split(separator: ".").last.map(String.init) ?? productIdentifier)
    }
    return .buy(button(for: productIdentifier))
  }

  /// The filter the photograph is seen through; nil for none.
  public var appliedFilter: PhotoFilter? { get throws { try filters.applied?.filter } }

  /// Whether Clear filter can be pressed.
  public var canClear: Bool { get throws { try filters.applied != nil } }

  /// Whether Restore can be pressed.
  public var canRestore: Bool { !manager.isRestoring }

  // MARK: What the customer does

  /// Buys a filter that is not owned yet.
  public override func buy(_ productIdentifier: String, quantity: Int = 1) throws {
    guard case .buy = try filterButton(for: productIdentifier) else {
      throw InAppPurchaseError.notForSale(productIdentifier)
    }
    try super.buy(productIdentifier, quantity: quantity)
  }

  /// Puts a filter on. One that is not owned says so.
  public func apply(_ productIdentifier: String) throws {
    do {
      try filters.apply(productIdentifier)
      show(nil)
    } catch let error as PhotoFilterError {
      show(error.description)
    }
  }

  /// Takes the filter off.
  public func clearFilter() {
    filters.clear()
    show(nil)
  }

  /// Restores what was bought. A message tells how that ended, either way.
  public func restore() {
    do {
      try manager.restore()
      show(nil)
    } catch {
      show(error.description)
    }
  }

  // MARK: What happened

  override func moreHandlers() -> Handlers {
    [
      (.InAppPurchaseManagerRestoreFinishedNotification, manager, { [weak self] in self?.restored($0) }),
      (.InAppPurchaseManagerRestoreFailedNotification, manager, { [weak self] in self?.restoringFailed($0) }),
      (
        .EntitlementManagerEntitlementsChangedNotification, filters.entitlements,
        { [weak self] _ in self?.entitlementsChanged() }
      ),
    ]
  }

  private func restored(_ notification: Notification) {
    guard let purchases = notification.userInfo?[InAppPurchaseManager.restoredPurchasesKey] as? RestoredPurchases
    else { return }
    show(Self.words(for: purchases))
  }

  private static func words(for purchases: RestoredPurchases) -> String {
    if purchases.isEmpty { return "There is nothing to restore." }
    let restored =
      purchases.given.count == 1 ? "1 purchase was restored." : "\(purchases.given.count) purchases were restored."
    let kept = purchases.keptProductIdentifiers.count
    return kept == 0 ? restored : "\(restored) \(kept) could not be given yet and will come again."
  }

  private func restoringFailed(_ notification: Notification) {
    guard let error = notification.userInfo?[InAppPurchaseManager.errorKey] as? any Error
    else { return }
    // Who cancelled the sign-in is told all the same: whoever pressed Restore waits for a word.
    show(error.purchaseAlert ?? "Your purchases were not restored.")
  }

  private func entitlementsChanged() {
    // Told on whatever thread changed it; screens are of the main queue.
    DispatchQueue.main.async { [weak self] in self?.didChange() }
  }
}
