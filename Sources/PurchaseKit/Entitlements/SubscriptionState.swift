import Foundation

/// The state of a customer's subscription in a group of products.
///
/// A customer can buy one subscription of a group at a time, and share others of relatives. Then the state is that of the
/// subscription whose access ends last. ``EntitlementManager/isEntitled(to:)`` tells for each product whether it is owned.
public enum SubscriptionState: Hashable, Sendable {
  /// No receipt has shown yet whether the customer subscribed. Show no offer for new customers; call
  /// ``EntitlementManager/readReceipt()``, or restore purchases.
  case unknown
  /// The customer never subscribed.
  case none
  /// The customer has access until a date, at which the subscription renews or expires.
  case active(productIdentifier: String, until: Date)
  /// A renewal failed, and the customer has access until a date. Ask the customer to update the payment method.
  ///
  /// Receipts do not contain grace periods. StoreKit 2 knows them (``TransactionReader``), and the purchase server, if it
  /// asks the store.
  case inGracePeriod(productIdentifier: String, until: Date)
  /// A renewal failed, and the store tries to charge the customer again. The customer has no access meanwhile. Only the
  /// purchase server knows this state, if it asks the store.
  case inBillingRetry(productIdentifier: String, since: Date)
  case expired(productIdentifier: String, since: Date)
  /// All periods were refunded or revoked, or the purchase server has ended the entitlement.
  case revoked(productIdentifier: String, since: Date)
}

extension SubscriptionState {
  /// The state of a subscription group in the purchase server's answer (``PurchaseServerClient/entitlements()``).
  ///
  /// - Parameters:
  ///   - productIdentifiers: the products of the group.
  ///   - entitlements: all entitlements of the customer in the app.
  public init(of productIdentifiers: Set<String>, in entitlements: [ServerEntitlement]) {
    // A plan that was replaced by another one, or moved to another customer, says nothing about the customer now.
    let known = entitlements.filter {
      productIdentifiers.contains($0.productId) && !["replaced", "transferred"].contains($0.endReason)
    }
    // An active subscription comes first, then the one whose access ends last.
    let latest = known.max { earlier, later in
      if earlier.isActive != later.isActive { return later.isActive }
      return (earlier.accessUntil ?? .distantFuture) < (later.accessUntil ?? .distantFuture)
    }
    guard let latest else {
      self = .none
      return
    }
    let product = latest.productId
    // An operator's grant has no `expires`. A grant without an end has no `accessUntil` either.
    let until = latest.accessUntil ?? .distantFuture
    let expires = latest.expires ?? until
    if let ended = latest.ended {
      self = .revoked(productIdentifier: product, since: ended)
    } else if latest.isActive {
      self =
        until > expires
        ? .inGracePeriod(productIdentifier: product, until: until) : .active(productIdentifier: product, until: until)
    } else if latest.renewal?.isInBillingRetry == true {
      self = .inBillingRetry(productIdentifier: product, since: until)
    } else {
      self = .expired(productIdentifier: product, since: expires)
    }
  }
}

extension SubscriptionState {
  /// The state of the subscriptions that give an entitlement, in the customer's state on the purchase server.
  ///
  /// - Parameter name: the name of the entitlement. Its products must be subscriptions.
  public init(ofNamed name: String, in state: ServerCustomerState) {
    let products = state.named.first { $0.name == name }?.products ?? []
    self.init(of: Set(products), in: state.entitlements)
  }
}

extension EntitlementManager {
  /// Returns the state of a subscription group.
  ///
  /// Receipts do not contain grace periods. So with StoreKit 1, a customer in a grace period is `expired` here, until the
  /// renewal is charged.
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
      return (earlier.accessEnd ?? .distantPast) < (later.accessEnd ?? .distantPast)
    }
    guard let latest, let expiration = latest.expirationDate else { return hasReadReceipt ? .none : .unknown }
    let product = latest.productIdentifier
    if let date = latest.revocationDate { return .revoked(productIdentifier: product, since: date) }
    let date = try date()
    if expiration > date { return .active(productIdentifier: product, until: expiration) }
    if let end = latest.accessEnd, end > date { return .inGracePeriod(productIdentifier: product, until: end) }
    return .expired(productIdentifier: product, since: expiration)
  }
}
