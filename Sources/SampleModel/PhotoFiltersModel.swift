import Foundation
import PurchaseKit

/// The model of the photo filters screen. The Buy button of an owned filter becomes a button that applies it. Other buttons
/// remove the filter and restore purchases.
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

  /// The button of a filter.
  public enum FilterButton: Hashable, Sendable {
    case buy(PurchaseButton)
    /// Applies the filter. The value is the filter's name.
    case use(String)

    public var title: String {
      switch self {
      case .buy(let button): button.title
      case .use(let name): "Use \(name)"
      }
    }

    /// Whether the button can be pressed.
    public var isEnabled: Bool {
      switch self {
      case .buy(let button): button.isEnabled
      case .use: true
      }
    }
  }

  // MARK: Content

  /// Returns the button of a filter. The button of an owned filter applies it, also if the store's data for the product are
  /// missing.
  public func filterButton(for productIdentifier: String) throws -> FilterButton {
    if try filters.isUnlocked(productIdentifier) {
      return .use(Self.name(of: productIdentifier))
    }
    return .buy(button(for: productIdentifier))
  }

  /// The filter that is applied to the photograph; nil if no filter is applied.
  public var appliedFilter: PhotoFilter? { get throws { try filters.applied?.filter } }

  /// The name of the applied filter; nil if no filter is applied.
  public var appliedFilterName: String? {
    get throws { try filters.applied.map { Self.name(of: $0.productIdentifier) } }
  }

  /// Returns a filter's name within a sentence.
  private static func name(of productIdentifier: String) -> String {
    SampleCatalog.name(of: productIdentifier)?.lowercased() ?? "filter"
  }

  /// Returns the reason why the customer has lost a filter; nil if the customer has not.
  public func lossText(of productIdentifier: String) throws -> String? {
    try filters.entitlements.lossText(of: productIdentifier)
  }

  /// Whether the Clear filter button can be pressed.
  public var canClear: Bool { get throws { try filters.applied != nil } }

  // MARK: Actions

  /// Buys a filter that the customer does not own.
  ///
  /// - Throws: ``InAppPurchaseError``; `notForSale` if the filter is owned or cannot be bought now.
  public override func buy(_ productIdentifier: String, quantity: Int = 1) throws {
    guard case .buy = try filterButton(for: productIdentifier) else {
      throw InAppPurchaseError.notForSale(productIdentifier)
    }
    try super.buy(productIdentifier, quantity: quantity)
  }

  /// Applies a filter. If the customer does not own it, shows an alert instead.
  public func apply(_ productIdentifier: String) throws {
    do {
      try filters.apply(productIdentifier)
      show(nil)
    } catch let error as PhotoFilterError {
      show(error.customerMessage(names()))
    }
  }

  /// Removes the applied filter.
  public func clearFilter() {
    filters.clear()
    show(nil)
  }

  // MARK: Notifications

  override func moreHandlers() -> Handlers {
    super.moreHandlers() + [
      (
        .EntitlementManagerEntitlementsChangedNotification, filters.entitlements,
        { [weak self] _ in self?.changedElsewhere() }
      )
    ]
  }
}
