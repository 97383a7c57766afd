import Foundation
import StoreModel

/// The storefront as the store last named it.
final class KnownStorefront: @unchecked Sendable {
  private let lock = NSLock()
  private var known: Storefront?

  /// Nil before the first contact with the store.
  var value: Storefront? { lock.withLock { known } }

  /// - Returns: whether it was another before.
  func see(_ storefront: Storefront?) -> Bool {
    guard let storefront else { return false }
    return lock.withLock {
      defer { known = storefront }
      return known != nil && known != storefront
    }
  }
}
