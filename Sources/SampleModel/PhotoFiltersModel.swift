import Foundation
import PurchaseKit

/// The photo filters screen, without its looks: a Buy button becomes the button that applies the filter; Clear filter and
/// Restore.
public final class PhotoFiltersModel: RestoringScreen, @unchecked Sendable {
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

  // MARK: What happened

  override func moreHandlers() -> Handlers {
    super.moreHandlers() + [
      (
        .EntitlementManagerEntitlementsChangedNotification, filters.entitlements,
        { [weak self] _ in self?.changedElsewhere() }
      )
    ]
  }
}
