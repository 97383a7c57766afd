import Foundation

/// The state of a customer's subscription in a group of products, of which the customer can have one at a time.
public enum SubscriptionState: Hashable, Sendable {
  /// No receipt has shown yet whether the customer subscribed. Show no offer for new customers; call
  /// ``EntitlementManager/readReceipt()``, or restore purchases.
  case unknown
  /// The customer never subscribed.
  case none
  /// The customer has access until a date, at which the subscription renews or expires.
  case active(productIdentifier: String, until: Date)
  case expired(productIdentifier: String, since: Date)
  /// The last period was refunded or revoked.
  case revoked(productIdentifier: String, since: Date)
}

extension EntitlementManager {
  /// Returns the state of a subscription group.
  ///
  /// Receipts do not contain grace periods. So a customer in a grace period is `expired` here, until the renewal is charged.
  ///
  /// - Parameter productIdentifiers: the products of the group.
  /// - Throws: an error of the vault if the time cannot be recorded.
  public func subscriptionState(of productIdentifiers: Set<String>) throws -> SubscriptionState {
    let known = storedEntitlements(of: productIdentifiers).filter { $0.expirationDate != nil }
    // Subscriptions that were not revoked come before revoked ones. Within each kind, the latest expiration date
    // decides.
    let latest = known.max { earlier, later in
      let (ended, other) = (earlier.revocationDate != nil, later.revocationDate != nil)
      if ended != other { return ended }
      return (earlier.expirationDate ?? .distantPast) < (later.expirationDate ?? .distantPast)
    }
    guard let latest, let expiration = latest.expirationDate else { return hasReadReceipt ? .none : .unknown }
    let product = latest.productIdentifier
    if let date = latest.revocationDate { return .revoked(productIdentifier: product, since: date) }
    return latest.isActive(at: try date())
      ? .active(productIdentifier: product, until: expiration)
      : .expired(productIdentifier: product, since: expiration)
  }
}
