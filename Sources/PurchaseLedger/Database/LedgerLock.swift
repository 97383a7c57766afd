import StoreModel

/// What a write is about, and nobody else may write meanwhile.
public enum LedgerLock: Hashable, Sendable {
  /// All that a customer has: claims, accounts, entitlements, deliveries, tokens.
  case customer(CustomerID)
  /// The periods of an auto-renewable subscription.
  case subscription(PurchaseKey)
  /// The products of an app and their files.
  case catalog(BundleID)

  /// A text that no other lock has.
  public var name: String {
    switch self {
    case .customer(let customer): "customer \(customer)"
    case .subscription(let key): "subscription \(key.app) \(key.environment.rawValue) \(key.id)"
    case .catalog(let app): "catalog \(app)"
    }
  }
}

/// A write turned out to be about more than it had said; it is begun anew with these locks as well.
package struct LedgerLocksMissing: Error {
  package let locks: Set<LedgerLock>
}
