import Foundation
import PurchaseKit

/// Manages the photo filters: which ones the customer owns, and which one is applied. A filter that the customer does
/// not own is never applied.
///
/// Must be used on the main queue.
public final class PhotoFilterManager: @unchecked Sendable {
  let entitlements: EntitlementManager
  private let filters: [String: PhotoFilter] = [
    SampleCatalog.greyscale: .greyscale, SampleCatalog.sepia: .sepia,
  ]
  private var chosen: String?

  public init(entitlements: EntitlementManager) { self.entitlements = entitlements }

  /// Whether the customer may apply the filter now.
  public func isUnlocked(_ productIdentifier: String) throws -> Bool {
    try filters[productIdentifier] != nil && entitlements.isEntitled(to: productIdentifier)
  }

  /// The applied filter; nil if no filter is applied, or if the customer no longer owns it.
  public var applied: (productIdentifier: String, filter: PhotoFilter)? {
    get throws {
      guard let chosen, let filter = filters[chosen], try isUnlocked(chosen) else { return nil }
      return (chosen, filter)
    }
  }

  /// Applies a filter, and removes the one applied before.
  ///
  /// - Throws: ``PhotoFilterError/notOwned(_:)``. The previous filter then stays applied.
  public func apply(_ productIdentifier: String) throws {
    guard try isUnlocked(productIdentifier) else { throw PhotoFilterError.notOwned(productIdentifier) }
    chosen = productIdentifier
  }

  /// Removes the applied filter.
  public func clear() { chosen = nil }
}

/// Thrown when a filter cannot be applied.
public enum PhotoFilterError: CustomerFacingError, Hashable, Sendable {
  case notOwned(String)

  public var description: String {
    switch self {
    case .notOwned(let product): "\(product) is not owned. Buy it, or restore purchases."
    }
  }

  public func customerMessage(_ names: CustomerNames) -> String {
    switch self {
    case .notOwned(let product): "You do not own \(names.product(product)). Buy it, or restore your purchases."
    }
  }
}
