import Foundation
import PurchaseKit

/// The photo filters: which of them the customer owns, and which one is on. A filter leaves it only for its owner.
///
/// To be used on the main queue.
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

  /// The filter that is on; nil for none, also where the customer has lost it since it was applied.
  public var applied: (productIdentifier: String, filter: PhotoFilter)? {
    get throws {
      guard let chosen, let filter = filters[chosen], try isUnlocked(chosen) else { return nil }
      return (chosen, filter)
    }
  }

  /// Puts a filter on, in place of any other.
  ///
  /// - Throws: ``PhotoFilterError/notOwned(_:)``; the filter that was on stays.
  public func apply(_ productIdentifier: String) throws {
    guard try isUnlocked(productIdentifier) else { throw PhotoFilterError.notOwned(productIdentifier) }
    chosen = productIdentifier
  }

  /// Takes the filter off.
  public func clear() { chosen = nil }
}

/// Why a filter was not applied.
public enum PhotoFilterError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  case notOwned(String)

  public var description: String {
    switch self {
    case .notOwned(let product): "\(product) is not yours yet. Buy it, or restore your purchases."
    }
  }

  public var errorDescription: String? { description }
}
