import StoreModel

/// The storefront in the store's last answer.
final class KnownStorefront: Sendable {
  private let known = LockedValue<Territory?>(nil)

  /// Nil before the first contact with the store.
  var value: Territory? { known.value }

  /// Stores the storefront of a store's answer; nil is ignored.
  ///
  /// - Returns: whether another storefront was known before.
  func see(_ storefront: Territory?) -> Bool {
    guard let storefront else { return false }
    return known.withLock { known in
      defer { known = storefront }
      return known != nil && known != storefront
    }
  }
}
