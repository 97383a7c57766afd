import StoreModel

/// A lock on rows that only one write at a time may change.
public enum LedgerLock: Hashable, Sendable {
  /// All rows of a customer: claims, accounts, entitlements, deliveries, tokens.
  case customer(CustomerID)
  /// The periods of an auto-renewable subscription. The key is that of its claim.
  case subscription(PurchaseKey)
  /// The products of an app, and their files.
  case catalog(BundleID)
  /// All operators' keys.
  case operatorKeys
  /// The cursor of a webhook, and the order of its messages.
  case webhook(String)
  /// The list of webhooks.
  case webhooks

  /// The unique name of the lock.
  public var name: String {
    switch self {
    case .customer(let customer): "customer \(customer)"
    case .subscription(let key): "subscription \(key.app) \(key.environment.rawValue) \(key.id)"
    case .catalog(let app): "catalog \(app)"
    case .operatorKeys: "operator keys"
    case .webhook(let id): "webhook \(id)"
    case .webhooks: "webhooks"
    }
  }
}

/// Thrown inside a write that needs more locks than it holds. The write starts again with these locks added.
package struct LedgerLocksMissing: Error {
  package let locks: Set<LedgerLock>
}
