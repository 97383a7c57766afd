import StoreModel

/// The status of a subscription in answers of the Server API and in notifications ("status").
public enum SubscriptionStatus: Int, Hashable, Codable, Sendable, CaseIterable {
  case active = 1
  case expired = 2
  /// The store is trying to charge a renewal. The customer has no access.
  case billingRetry = 3
  /// The store is trying to charge a renewal. The customer has access.
  case billingGracePeriod = 4
  /// The current period was refunded, or its family share revoked.
  case revoked = 5

  public init(_ state: RenewalRecord.State) {
    self =
      switch state {
      case .active: .active
      case .expired: .expired
      case .billingRetry: .billingRetry
      case .gracePeriod: .billingGracePeriod
      case .revoked: .revoked
      }
  }
}
