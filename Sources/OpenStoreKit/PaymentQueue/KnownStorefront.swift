import StoreModel

/// The storefront that the store named last.
final class KnownStorefront: Sendable {
  private let known = LockedValue<Storefront?>(nil)

  /// Nil before the first contact with the store.
  var value: Storefront? { known.value }

  /// - Returns: whether it was another before.
  func see(_ storefront: Storefront?) -> Bool {
    guard let storefront else { return false }
    return known.withLock { known in
      defer { known = storefront }
      return known != nil && known != storefront
    }
  }
}
